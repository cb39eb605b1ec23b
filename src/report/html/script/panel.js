/* The selected call: its panel, the keys that move from bar to bar, and links that lead to bars. */

const panel = byId('panel'), tip = document.createElement('div');

/* ---- the panel ---- */

function entry(list, term, ...content) {
    const dt = document.createElement('dt'), dd = document.createElement('dd');
    dt.textContent = term;
    dd.append(...content);
    list.append(dt, dd);
}

function link(text, target, action) {
    const a = document.createElement('a');
    a.href = target;
    a.textContent = text;
    if (action)
        a.addEventListener('click', (e) => {
            e.preventDefault();
            action();
        });
    return a;
}

const barLink = (bar, text) => link(text || bar.row.group.name, '#b' + bar.index, () => select(bar, true));

function quoted(bar) {
    const pre = document.createElement('pre');
    for (let line = Math.max(1, bar.line - 1); line <= bar.line + 1; line++) {
        const source = byId('f' + bar.file + 'l' + line);
        if (source)
            pre.appendChild(document.createElement(line === bar.line ? 'strong' : 'span')).textContent =
                line + ' | ' + source.textContent.replace(/\n$/, '') + '\n';
    }
    return pre;
}

function describePlace(list, bar) {
    if (bar.line <= 0)
        return;
    if (bar.file < 0)
        entry(list, typeof bar.line === 'string' ? 'place' : 'line', String(bar.line));
    else
        entry(list, 'line', link(String(bar.line), '#f' + bar.file + 'l' + bar.line), quoted(bar));
}

function withLinks(found) {
    const SHOWN = 12, parts = [];
    found.slice(0, SHOWN).forEach((bar, i) => parts.push(i ? ', ' : '', barLink(bar)));
    if (found.length > SHOWN)
        parts.push(` and ${found.length - SHOWN} more rows`);
    return parts;
}

function describeMeeting(list, bar) {
    const m = bar.meeting;
    if (!m)
        return;
    const met = [m.last].concat(m.others).filter((other) => other !== bar);
    entry(list, 'met', ...(met.length ? withLinks(met) : ['the same operation of the other ranks of this row']));
    if (m.last !== bar && m.last.begin > bar.begin)
        entry(list, 'waited', formatTime(m.last.begin - bar.begin) + ' for ', barLink(m.last), ', the last to arrive');
    else if (m.last === bar && met.length)
        entry(list, 'waited', 'not at all: no other rank arrived later');
}

function describe(bar) {
    const list = document.createElement('dl'), heading = document.createElement('h3');
    heading.textContent = bar.name;
    entry(list, 'where', bar.row.group.name + ', ' + bar.row.name);
    entry(list, bar.kind === CALL ? 'call' : 'what', bar.text);
    if (bar.label)
        entry(list, 'label', bar.label);
    if (bar.comm >= 0)
        entry(list, 'communicator', data.comms[bar.comm] + (bar.number ? ', call ' + bar.number : ''));
    if (bar.bytes)
        entry(list, 'bytes', bar.bytes.toLocaleString('en'));
    entry(list, bar.state === QUEUED ? 'not before' : 'began', formatTime(bar.begin));
    entry(list, 'took', bar.took === null ? bar.state === QUEUED ? 'not begun' : 'not over' : formatTime(bar.took));
    describeMeeting(list, bar);
    if (bar.waitsFor.length)
        entry(list, 'waits for', ...withLinks(bar.waitsFor));
    if (bars[bar.cause])
        entry(list, 'enqueued by', barLink(bars[bar.cause], bars[bar.cause].name));
    describePlace(list, bar);
    entry(list, 'table', link('the row in the table', '#b' + bar.index, () => showRow(bar)));
    panel.replaceChildren(heading, list);
}

function select(bar, scroll) {
    view.selected = bar;
    if (bar)
        describe(bar);
    else
        panel.textContent = 'Select a bar: click it, or press Tab and the arrow keys.';
    if (bar && scroll)
        into(bar);
    redraw();
}

/* Scrolls so that the bar can be seen. */
function into(bar) {
    const part = seen(), g = bar.row.group;
    if (leftOf(bar) < part.left || rightOf(bar) > part.left + part.wide)
        box.scrollLeft = leftOf(bar) - part.wide / 3;
    if (g.top < part.top + AXIS || g.top + g.high > part.top + part.high)
        box.scrollTop = g.top - part.high / 3;
    box.scrollIntoView({ block: 'nearest' });
}

/* ---- tables: a browser with scripts reads them as text until they are opened ---- */

function fill(details) {
    const text = details.querySelector('noscript');
    if (!text)
        return;
    const holder = document.createElement('div');
    holder.className = 'scroll';
    holder.innerHTML = text.textContent;             /* the page's own, escaped where it was written */
    text.replaceWith(holder);
    holder.querySelectorAll('tr[id]').forEach((row) => {
        row.tabIndex = -1;
        row.addEventListener('click', (e) => {
            if (!e.target.closest('a'))
                select(bars[row.id.slice(1)], true);
        });
    });
}

function showRow(bar) {
    const details = Array.from(document.querySelectorAll('details.calls')).find((d) =>
        bar.index >= +d.dataset.first && bar.index < +d.dataset.first + +d.dataset.bars);
    fill(details);
    details.open = true;
    byId('b' + bar.index).focus();
}

/* A link to a line opens the folded source; a link to a bar selects it. */
function follow() {
    const bar = /^#b(\d+)$/.exec(location.hash), line = /^#f\d+l\d+$/.test(location.hash) && byId(location.hash.slice(1));
    if (bar && bars[bar[1]])
        select(bars[bar[1]], true);
    if (line) {
        line.closest('details').open = true;
        line.scrollIntoView({ block: 'center' });
    }
}

/* ---- keys ---- */

function near(row, x) {
    return row.bars.reduce((best, bar) => Math.abs(leftOf(bar) - x) < Math.abs(leftOf(best) - x) ? bar : best);
}

function otherRow(bar, step) {
    let at = rows.indexOf(bar.row) + step;
    while (rows[at] && !rows[at].bars.length)
        at += step;
    return rows[at] ? near(rows[at], leftOf(bar)) : bar;
}

const along = (bar, step) => bar.row.bars[bar.nth + step] || bar;
const moves = {
    ArrowRight: (bar) => along(bar, 1), ArrowLeft: (bar) => along(bar, -1),
    ArrowDown: (bar) => otherRow(bar, 1), ArrowUp: (bar) => otherRow(bar, -1),
    Home: (bar) => bar.row.bars[0], End: (bar) => bar.row.bars[bar.row.bars.length - 1]
};
const keys = {
    '+': () => zoomTo(view.zoom * 1.5), '=': () => zoomTo(view.zoom * 1.5), '-': () => zoomTo(view.zoom / 1.5),
    '0': fit, Enter: () => view.selected && showRow(view.selected), Escape: () => select(null)
};

box.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target !== box || !bars.length)
        return;
    if (moves[e.key])
        select(view.selected ? moves[e.key](view.selected) : bars[0], true);
    else if (keys[e.key])
        keys[e.key]();
    else
        return;
    e.preventDefault();
});

/* ---- the pointer ---- */

const barAt = (e) => e.target.dataset && e.target.dataset.bar ? bars[e.target.dataset.bar] : null;

chart.addEventListener('pointermove', (e) => {
    const bar = barAt(e);
    tip.hidden = !bar;
    if (!bar)
        return;
    tip.textContent = `${bar.row.group.name}: ${bar.name}${bar.line > 0 ? ', line ' + bar.line : bar.line ? ', ' + bar.line : ''}, at ${formatTime(bar.begin)}` +
        (bar.took === null ? '' : `, took ${formatTime(bar.took)}`);
    tip.style.left = Math.min(e.clientX + 12, innerWidth - tip.offsetWidth - 8) + 'px';
    tip.style.top = e.clientY + 18 + 'px';
});
chart.addEventListener('pointerleave', () => { tip.hidden = true; });

let drag = null;
chart.addEventListener('pointerdown', (e) => {
    if (e.pointerType === 'mouse' && e.button === 0)
        drag = { x: e.clientX, left: box.scrollLeft, bar: barAt(e), moved: false };
});
addEventListener('pointermove', (e) => {
    if (!drag)
        return;
    drag.moved = drag.moved || Math.abs(e.clientX - drag.x) > 3;
    if (drag.moved)
        box.scrollLeft = drag.left - (e.clientX - drag.x);
});
addEventListener('pointerup', () => { drag = drag && drag.moved ? { ended: true } : null; });
chart.addEventListener('click', (e) => {
    const dragged = drag && drag.ended;
    drag = null;
    if (!dragged)
        select(barAt(e));
});

tip.id = 'tip';
tip.hidden = true;
document.body.appendChild(tip);
addEventListener('hashchange', follow);
document.addEventListener('toggle', (e) => {
    if (e.target.open && e.target.classList.contains('calls'))
        fill(e.target);
}, true);
