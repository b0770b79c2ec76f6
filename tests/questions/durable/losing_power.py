"""A disk that forgets what was not synced: a layer of SQLite under which the power can be cut."""

import apsw

__all__ = ["Disk"]


class Disk(apsw.VFS):
    """Files as SQLite writes them, and as they would be found after a loss of power: as at their last sync."""

    def __init__(self, name):
        self.name = name
        self.synced = {}
        self.deleted = set()
        super().__init__(name, "")

    def xOpen(self, name, flags):  # noqa: N802
        self.deleted.discard(str(name))
        return _File(self, name, flags)

    def xDelete(self, name, sync_folder):  # noqa: N802
        super().xDelete(name, sync_folder)
        self.deleted.add(name)
        if sync_folder:
            self.sync_folder()

    def sync_folder(self):
        """From now on names that were deleted are gone."""
        for name in self.deleted:
            self.synced.pop(name, None)
        self.deleted.clear()

    def cut_the_power(self, folder):
        """Put what survives into another folder."""
        for name, content in self.synced.items():
            (folder / name.rpartition("/")[2]).write_bytes(content)


class _File(apsw.VFSFile):
    def __init__(self, disk, name, flags):
        super().__init__("", name, flags)
        self.disk = disk
        self.name = name.filename() if isinstance(name, apsw.URIFilename) else name

    def xSync(self, flags):  # noqa: N802
        super().xSync(flags)
        if self.name not in self.disk.synced and self.name.endswith(("-wal", "-journal")):
            self.disk.sync_folder()  # as SQLite does at the first sync of such a file that it has made
        size = self.xFileSize()
        self.disk.synced[self.name] = super().xRead(size, 0) if size else b""
