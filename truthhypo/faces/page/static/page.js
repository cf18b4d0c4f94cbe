// What every page does with JavaScript: numbers and times in the way of the browser's language.
"use strict";

const localise = (part) => {
  for (const one of part.querySelectorAll("time[datetime]")) {
    const moment = new Date(one.dateTime);
    if (!Number.isNaN(moment.valueOf())) {
      one.textContent = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    }
  }
  for (const one of part.querySelectorAll("data[value]")) {
    const digits = Number(one.dataset.digits ?? 0);
    const told = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    one.textContent = Number(one.value).toLocaleString(undefined, told);
  }
};
localise(document);

// A form that takes long says so, and is sent once. The service ends the work when the browser stops waiting for it.
const setWaiting = (form, waits) => {
  for (const button of form.querySelectorAll("button:not(.cancel)")) button.disabled = waits;
  for (const button of form.querySelectorAll(".cancel")) {
    button.hidden = !waits;
    if (waits) button.focus();
  }
};
for (const form of document.querySelectorAll("form[data-waiting]")) {
  form.addEventListener("submit", () => {
    const told = form.querySelector(".waiting");
    if (told) told.textContent = form.dataset.waiting;
    // Disabled buttons are not sent, so they are disabled after the form is.
    setTimeout(() => setWaiting(form, true));
  });
  form.querySelector(".cancel")?.addEventListener("click", () => {
    window.stop();
    setWaiting(form, false);
    form.querySelector(".waiting").textContent = "Cancelled.";
    form.querySelector("button").focus();
  });
}
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-waiting]")) setWaiting(form, false);
  for (const told of document.querySelectorAll(".waiting")) told.textContent = "";
});

// A file can be dropped anywhere on the form.
for (const form of document.querySelectorAll("form.drop")) {
  const file = form.querySelector("input[type=file]");
  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    form.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    file.files = event.dataTransfer.files;
    file.focus();
  });
  // A new page would forget the file. So the form is sent from this page, which shows the problem if there is one.
  form.addEventListener("submit", async (event) => {
    if (!file.files.length) return;
    event.preventDefault();
    let answer;
    try { answer = await fetch(form.action, { method: "POST", body: new FormData(form) }); } catch { return form.submit(); }
    if (answer.redirected) return location.assign(answer.url);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.querySelector("[role=alert]")?.remove();
    const problem = page.querySelector("[role=alert]") ?? page.querySelector("main");
    form.insertAdjacentElement("beforebegin", document.adoptNode(problem));
    setWaiting(form, false);
    form.querySelector(".waiting").textContent = "";
  });
}

// Text and addresses are copied by one click.
const told = (button, text) => {
  button.dataset.name ??= button.textContent; // a second click finds the button with the other text
  button.textContent = text;
  clearTimeout(button.dataset.timer);
  button.dataset.timer = setTimeout(() => { button.textContent = button.dataset.name; }, 2000);
};
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.closest("details").querySelector("pre").textContent);
    told(button, "Copied");
  });
}
for (const link of document.querySelectorAll("a[data-copy]")) {
  if (!navigator.clipboard) continue;
  link.textContent = "Copy the address";
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    await navigator.clipboard.writeText(link.href);
    told(link, "Copied");
  });
}

// A chart that is wider than the screen shows its newest years first.
for (const bars of document.querySelectorAll("svg.bars")) bars.parentElement.scrollLeft = bars.parentElement.scrollWidth;

// The progress of a job, or of a run over the watched statements. The results are fetched anew when there are more.
const progress = document.querySelector("[data-events]");
if (progress) {
  const numbers = (value, digits) => value.toLocaleString(undefined, { maximumFractionDigits: digits });
  let done = Number(progress.querySelector("progress").value);
  let fetching = false;
  const results = async () => {
    const held = document.getElementById("results");
    if (fetching || held.contains(document.activeElement)) return; // the focus would be lost
    fetching = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.getElementById("results");
      if (found) {
        localise(found);
        held.replaceWith(document.adoptNode(found));
      }
    } finally { fetching = false; }
  };
  const source = new EventSource(progress.dataset.events);
  source.onmessage = async (event) => {
    const now = JSON.parse(event.data);
    const bar = progress.querySelector("progress");
    bar.max = now.total || 1;
    bar.value = now.done;
    progress.querySelector(".state").textContent = now.state;
    progress.querySelector(".done").textContent = numbers(now.done, 0);
    progress.querySelector(".total").textContent = numbers(now.total, 0);
    progress.querySelector(".pace").textContent = now.rate
      ? `, ${numbers(now.rate, 2)} ${progress.dataset.unit} a second, ${numbers(now.left, 0)} s left` : "";
    if (now.state !== "queued" && now.state !== "running") {
      source.close();
      location.reload();
    } else if (now.done > done) {
      done = now.done;
      await results();
    }
  };
}
