// The code of the link is in the fragment, which no server and no scanner gets to see. It is handed over in the body
// of a request that shows the document; whoever has no script pastes it instead. Nothing is decided by this.
const form = document.querySelector("form[data-code]");
const code = location.hash.slice(1);
if (form && code) {
  history.replaceState(null, "", location.pathname);
  form.elements.code.value = code;
  form.submit();
}
