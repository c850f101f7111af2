'use strict';
(() => {
  const log = document.getElementById('log');
  const link = document.getElementById('link');

  // Only the service's own renderer writes what is parsed here, and the policy lets no script of it run.
  const parsed = (html) => {
    const template = document.createElement('template');
    template.innerHTML = html;
    return template.content;
  };

  const line = (name, html) => {
    const fresh = parsed(html).firstElementChild;
    const old = document.getElementById(name);
    if (!old) log.append(fresh);
    else if (!old.isEqualNode(fresh)) old.replaceWith(fresh);
  };

  const arrange = (order) => {
    const wanted = new Set(order);
    for (const row of [...log.children]) if (!wanted.has(row.id)) row.remove();
    let at = log.firstElementChild;
    for (const name of order) {
      const row = document.getElementById(name);
      if (!row) continue;
      if (row === at) at = at.nextElementSibling;
      else log.insertBefore(row, at);
    }
  };

  const say = (text, state) => {
    if (link.textContent === text) return;
    link.textContent = text;
    link.dataset.state = state;
  };

  const source = new EventSource('/events');
  source.addEventListener('picture', (event) => {
    const update = JSON.parse(event.data);
    for (const [name, html] of Object.entries(update.blocks)) {
      const block = document.getElementById(name);
      if (block.innerHTML !== html) block.replaceChildren(parsed(html));
    }
    for (const [name, html] of Object.entries(update.lines)) line(name, html);
    if (update.order) arrange(update.order);
    say('live', 'live');
  });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) say('not connected: load this page again', 'lost');
    else say('connection lost, trying again', 'lost');
  };
})();
