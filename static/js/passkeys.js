// Allauth's scripts only log what a browser refuses; the person has to be told too.
const SAID = {
  NotAllowedError: "The browser stopped: it was cancelled, took too long, or this device has no passkey for this account.",
  InvalidStateError: "This device holds a passkey of this account already.",
  SecurityError: "Passkeys work only over https://, or on http://localhost.",
};
const OTHER = "This browser can’t use passkeys here. Try another browser or device, or another way.";

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  const box = document.getElementById("passkey-problem");
  box.textContent = SAID[event.detail.exception?.name] ?? OTHER;
  box.hidden = false;
});
