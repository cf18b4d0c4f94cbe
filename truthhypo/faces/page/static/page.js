// What every page does with JavaScript: numbers and times in the way of the browser's language.
"use strict";

for (const one of document.querySelectorAll("time[datetime]")) {
  const moment = new Date(one.dateTime);
  if (!Number.isNaN(moment.valueOf())) {
    one.textContent = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
}
for (const one of document.querySelectorAll("data[value]")) {
  const digits = Number(one.dataset.digits ?? 0);
  const told = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  one.textContent = Number(one.value).toLocaleString(undefined, told);
}
