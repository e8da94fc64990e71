// Keys of the inbox, of the list of facts and of that of jobs. Without this file everything works by its buttons.
(function () {
  "use strict";
  var keys = {
    r: "button[value=right]", w: "button[value=false_pass],button[value=false_fail]", s: "button[value=skip]",
    x: "input[type=checkbox]", y: "button[value=confirm]", n: "button[value=contradict]"
  };
  var list = "li.verdict,li.fact,li.job";
  function rows() { return Array.prototype.slice.call(document.querySelectorAll(list)); }
  // Who has just said something goes on with the next verdict.
  if (/[?&](said|skipped|done)=/.test(location.search) && rows().length) rows()[0].focus();
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.altKey || e.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) && e.target.type !== "checkbox") return;
    var words = e.key === "/" && document.querySelector("input[type=search]");
    if (words) {
      words.focus();
      e.preventDefault();
      return;
    }
    var all = rows();
    if (!all.length) return;
    var at = all.indexOf(document.activeElement && document.activeElement.closest(list));
    if (e.key === "j" || e.key === "k") {
      at = e.key === "j" ? Math.min(at + 1, all.length - 1) : Math.max(at - 1, 0);
      all[at].focus();
      all[at].scrollIntoView({ block: "nearest" });
      e.preventDefault();
      return;
    }
    var button = at >= 0 && keys[e.key] && all[at].querySelector(keys[e.key]);
    if (button) {
      button.click();
      e.preventDefault();
    }
  });
})();
