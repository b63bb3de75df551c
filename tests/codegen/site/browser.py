"""Looks at pages of a folder in a headless Chromium: a page of our own loads them in a frame and reports on them."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

from tests.patience import PATIENCE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0")
PROBE = """<!doctype html><meta charset="utf-8"><iframe id="frame" width="1200" height="900"></iframe><script>
const frame = document.getElementById("frame"), wait = ms => new Promise(done => setTimeout(done, ms));
async function load(page) {
  const loaded = new Promise(done => frame.onload = done);
  frame.src = page;
  await loaded;
  return frame.contentDocument;
}
async function until(find) {
  for (let round = 0; round < 600; round++) {
    const value = find();
    if (value) return value;
    await wait(100);
  }
  return null;
}
async function look(pages, words) {
  const report = {pages: {}, found: {}, backgrounds: []};
  for (const page of pages) {
    const body = await load(page), images = [...body.querySelectorAll("article img")];
    for (const image of images) { image.loading = "eager"; await until(() => image.complete); }
    const broken = images.filter(image => !image.naturalWidth).map(image => image.src);
    report.pages[page] = {title: body.title, images: images.length, broken};
  }
  for (const scheme of ["default", "slate"]) {
    frame.contentDocument.body.setAttribute("data-md-color-scheme", scheme);
    report.backgrounds.push(frame.contentWindow.getComputedStyle(frame.contentDocument.body).backgroundColor);
  }
  for (const word of words) {
    const body = await load("index.html?q=" + word);
    await until(() => body.querySelector(".md-search-result__item a"));
    report.found[word] = [...body.querySelectorAll(".md-search-result__item a")].map(a => a.href);
  }
  await fetch("/report", {method: "POST", body: JSON.stringify(report)});
}
look(PAGES, WORDS);
</script>"""


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder, the probe, and takes its report."""

    def __init__(self, *args: Any, probe: str, reports: Queue[Any], **kwargs: Any) -> None:
        self.probe, self.reports = probe, reports
        super().__init__(*args, **kwargs)

    def do_GET(self) -> None:
        if self.path != "/probe.html":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.probe.encode())
        return None

    def do_POST(self) -> None:
        self.reports.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


def look_at(folder: Path, pages: Sequence[str], words: Sequence[str]) -> Mapping[str, Any]:
    """Titles and images of pages, the colours of both schemes, and what the search finds for words."""
    assert CHROMIUM is not None
    reports: Queue[Any] = Queue()
    probe = PROBE.replace("PAGES, WORDS", f"{json.dumps(pages)}, {json.dumps(words)}")
    handler = partial(Handler, directory=str(folder), probe=probe, reports=reports)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/probe.html"
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", address]
        browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return reports.get(timeout=PATIENCE)
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()
