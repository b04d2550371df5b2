// What the pages do beyond links and forms: send a table, follow a run, ask before removing.
"use strict";

const find = (name) => document.getElementById(name);
const asked = { headers: { Accept: "application/json" } };

// --- a table is sent as it is, and may be dropped -------------------------------------------------------------

const file = find("file");
if (file) {
  const drop = find("drop"), said = find("said"), sent = find("sent");

  function send(chosen) {
    said.textContent = "";
    if (chosen.size > Number(file.dataset.most)) {
      said.textContent = `${chosen.name} is larger than ${Math.floor(file.dataset.most / 1e6)} MB. Use the command line, which has no such limit.`;
      return;
    }
    const request = new XMLHttpRequest();
    request.open("POST", `${file.dataset.to}?name=${encodeURIComponent(chosen.name)}`);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => { sent.value = event.loaded / Math.max(event.total, 1); });
    request.addEventListener("load", () => {
      const answer = understood(request.responseText);
      if (request.status === 201) location.assign(answer.open);
      else fail(answer.error ?? "The table was not taken.");
    });
    request.addEventListener("error", () => fail("The table could not be sent: is hiql app still running?"));
    sent.hidden = false;
    file.disabled = true;
    request.send(chosen);
  }

  function fail(text) {
    sent.hidden = true;
    file.disabled = false;
    file.value = "";
    said.textContent = text;
  }

  function understood(text) {
    try { return JSON.parse(text); } catch { return {}; }
  }

  file.addEventListener("change", () => { if (file.files.length) send(file.files[0]); });
  for (const name of ["dragover", "dragleave", "drop"]) {
    addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
    });
  }
  addEventListener("drop", (event) => { if (event.dataTransfer.files.length && !file.disabled) send(event.dataTransfer.files[0]); });
}

// --- a run is followed; a server that is gone is waited for ----------------------------------------------------

const standing = find("standing");
if (standing && ["running", "waiting"].includes(standing.dataset.stage)) {
  const told = find("told"), bar = find("bar");

  async function follow() {
    try {
      const answer = await fetch(standing.dataset.state, asked);
      if (!answer.ok) throw new Error(answer.statusText);
      const state = await answer.json();
      if (state.stage !== standing.dataset.stage) { location.reload(); return; }
      standing.classList.remove("away");
      if (told.textContent !== state.told) told.textContent = state.told;
      if (state.total) { bar.max = state.total; bar.value = state.done; }
    } catch {
      standing.classList.add("away");
      told.textContent = "The program behind this page has ended. Start hiql app again: what was finished is kept, and the work goes on.";
    }
    setTimeout(follow, 1000);
  }
  setTimeout(follow, 500);
}

// --- nothing is removed by a slip ------------------------------------------------------------------------------

for (const button of document.querySelectorAll("button[data-confirm]")) {
  button.addEventListener("click", (event) => { if (!confirm(button.dataset.confirm)) event.preventDefault(); });
}
