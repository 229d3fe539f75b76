/* Looks at pages in frames of several widths, as test_page.py wraps them: what is wrong goes into the document's body. */
"use strict";

const SLACK = 1.5; // pixels that boxes of neighbouring texts may share
const LEAST_CONTRAST = 4.5, LEAST_SIZE = 10;

function textsOf(frame) {
  const found = [], doc = frame.contentDocument, view = frame.contentWindow;
  const walker = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, range = doc.createRange();
    if (!node.data.trim() || node.parentElement.closest("title"))
      continue;
    range.selectNodeContents(node);
    for (const box of range.getClientRects())
      if (box.width > 0 && box.height > 0)
        found.push({ node, box, style: view.getComputedStyle(node.parentElement), text: node.data.trim().slice(0, 40) });
  }
  return found;
}

function overlapping(texts) {
  const wrong = [];
  texts.sort((a, b) => a.box.top - b.box.top);
  for (let i = 0; i < texts.length; i++)
    for (let k = i + 1; k < texts.length && texts[k].box.top < texts[i].box.bottom - SLACK; k++) {
      const a = texts[i].box, b = texts[k].box;
      if (texts[i].node !== texts[k].node && Math.min(a.right, b.right) - Math.max(a.left, b.left) > SLACK)
        wrong.push(`"${texts[i].text}" and "${texts[k].text}" overlap`);
    }
  return wrong;
}

function isWithin(box, outer) {
  return box.left >= outer.left - 1 && box.right <= outer.right + 1 && box.top >= outer.top - 1 &&
    box.bottom <= outer.bottom + 1;
}

function isCut(text, view) {
  if (text.box.left < -1 || text.box.right > view.innerWidth + 1)
    return true;
  for (let e = text.node.parentElement; e; e = e.parentElement) {
    const hides = e.tagName === "svg" || view.getComputedStyle(e).overflow !== "visible";
    if (hides && !isWithin(text.box, e.getBoundingClientRect()))
      return true;
  }
  return false;
}

function luminance(colour) {
  const part = colour.match(/[\d.]+/g).slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
}

function isFaint(text, back) {
  const inDrawing = text.node.parentElement.tagName === "text";
  const front = luminance(inDrawing ? text.style.fill : text.style.color);
  return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05) < LEAST_CONTRAST;
}

function isSmall(text) {
  const drawing = text.node.parentElement.closest("svg");
  const scale = drawing ? drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width : 1;
  return parseFloat(text.style.fontSize) * scale < LEAST_SIZE;
}

function drawingsOf(doc, expected) {
  const shown = [...doc.querySelectorAll("figure > svg")].filter(svg => svg.getBoundingClientRect().width > 0);
  const wrong = shown.length === expected ? [] : [`${shown.length} drawings are shown, not ${expected}`];
  for (const svg of shown) {
    if (/NaN|inf/.test(svg.outerHTML))
      wrong.push(`a drawing has numbers that are none: ${svg.outerHTML.match(/.{40}(NaN|inf).{20}/)}`);
    if (!svg.closest(".hierarchy") && !svg.querySelector("polyline"))
      wrong.push("a drawing has no curve");
  }
  return wrong;
}

function look(frame, expected) {
  const view = frame.contentWindow, doc = frame.contentDocument, texts = textsOf(frame);
  const back = luminance(view.getComputedStyle(doc.body).backgroundColor);
  const named = (is, what) => texts.filter(is).map(text => `"${text.text}" ${what}`);
  const wrong = [...drawingsOf(doc, expected), ...named(text => isCut(text, view), "is cut"),
    ...named(text => isFaint(text, back), "is faint"), ...named(isSmall, "is small"), ...overlapping(texts)];
  if (doc.documentElement.scrollWidth > view.innerWidth)
    wrong.push(`the page is ${doc.documentElement.scrollWidth} pixels wide`);
  if (doc.querySelector("script"))
    wrong.push("there is a script");
  return { wrong, texts: texts.length, dark: back < 0.2 };
}

function lookAtAll(pages) {
  const frames = [];
  for (const page of pages) {
    const frame = document.createElement("iframe");
    frame.style.cssText = `border:0;width:${page.width}px;height:2000px`;
    frame.srcdoc = page.html;
    document.body.append(frame);
    frames.push(frame);
  }
  addEventListener("load", () => {
    const seen = pages.map((page, i) => ({ name: page.name, ...look(frames[i], page.drawings) }));
    document.body.textContent = JSON.stringify(seen);
  });
}
