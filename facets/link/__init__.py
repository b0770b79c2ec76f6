"""The objects of a host, used from another process."""
