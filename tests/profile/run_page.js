// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// run_page.js PAGE: runs the script of a page in as much of a browser as it uses, without drawing, and
// prints what the reader would find: the text of each element with an id, and how often was drawn.
"use strict";
const fs = require("fs");
const page = fs.readFileSync(process.argv[2], "utf8");
const data = /<script type="application\/json" id="profile">([^]*?)<\/script>/.exec(page)[1];
const script = /<script>([^]*?)<\/script>/.exec(page)[1];
let drawn = 0;

class Element {
  constructor(name) {
    this.name = name;
    this.children = [];
    this.text = "";
    this.style = {};
    this.clientWidth = 800;
    this.listeners = {};
  }
  addEventListener(name, listener) { this.listeners[name] = listener; }
  setPointerCapture() {}
  // Something that the reader does.
  does(name, event) {
    this.listeners[name]?.({preventDefault() {}, offsetX: 60, offsetY: 3, ...event});
  }
  get textContent() { return this.text + this.children.map(child => child.textContent).join(" "); }
  set textContent(text) { this.text = String(text); this.children = []; }
  append(...more) { this.children.push(...more); }
  prepend(...more) { this.children.unshift(...more); }
  replaceChildren() { this.children = []; }
  remove() { ids.delete(this.id); }
  querySelector() { return this; }
  getContext() {
    return new Proxy({}, {get: (_, name) => (/^(fill|stroke)/.test(name) ? () => { ++drawn; } : () => {}), set: () => true});
  }
}

const ids = new Map();
for (const [, id] of page.matchAll(/ id="([^"]+)"/g)) {
  ids.set(id, Object.assign(new Element("div"), {id}));
}
ids.get("profile").textContent = data;
globalThis.document = {
  documentElement: new Element("html"), title: "",
  getElementById: id => ids.get(id) || null,
  createElement: name => new Element(name),
};
globalThis.getComputedStyle = () => ({getPropertyValue: name => (page.includes(name + ":") ? " #123456" : "")});
globalThis.window = {
  devicePixelRatio: 1, addEventListener() {},
  matchMedia: () => ({addEventListener() {}}),
};
new Function(script)();
// What is pointed at is told.
for (const id of ["bars", "strip", "matrix"]) {
  if (ids.get(id)) ids.get(id).onmousemove?.({offsetX: 60, offsetY: 3});
}
// The timeline: zoomed, moved, pointed at.
const timeline = ids.get("timeline");
const spans = [];
if (timeline && ids.get("timeline-part")) {
  const span = () => spans.push(ids.get("timeline-span").textContent);
  span();
  timeline.does("wheel", {deltaY: -1, offsetX: 400});
  span();
  timeline.does("pointerdown", {offsetX: 400});
  timeline.does("pointermove", {offsetX: 300});
  timeline.does("pointerup", {});
  span();
  timeline.does("keydown", {key: "ArrowRight"});
  timeline.does("wheel", {deltaY: 1, shiftKey: true});
  ids.get("zoom-all").onclick();
  span();
  for (let x = 60; x < 800; x += 5) {
    timeline.does("pointermove", {offsetX: x});
    if (/MPI_/.test(ids.get("timeline-tip").textContent)) break;
  }
}
ids.delete("profile");
const texts = Object.fromEntries([...ids].map(([id, element]) => [id, element.textContent]));
console.log(JSON.stringify({drawn, spans, title: document.title, texts}));
