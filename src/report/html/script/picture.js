/* Draws the part of the timeline that is in view, and no more: the time that takes does not depend on the
 * length of the run. */

const ROW = 18, GAP = 8, FOLDED = 14, AXIS = 22, BAR = 14, MARGIN = 170, QUEUED_WIDE = 12;
const TAIL = 40;                                     /* of a bar that was not over: behind the end of the run */
const WIDEST = 1e7;                                  /* pixels; browsers end elements soon above */
const view = { axis: linearShows() ? linear : folded, zoom: 1, byComm: false, hidden: new Set(), selected: null, searching: false };
const box = byId('box'), names = document.createElement('div'), space = document.createElement('div');
const chart = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
let total = AXIS;                                    /* height of all groups */

function draw(tag, attributes, parent, text) {
    const e = document.createElementNS(chart.namespaceURI, tag);
    for (const key in attributes)
        e.setAttribute(key, attributes[key]);
    if (text !== undefined)
        e.textContent = text;
    parent.appendChild(e);
    return e;
}

/* ---- where things are, in pixels of the whole picture ---- */

const leftOf = (bar) => view.axis.from(bar) * view.zoom + (bar.state === QUEUED ? TAIL + bar.queuedBefore * QUEUED_WIDE : 0);
function rightOf(bar) {
    if (bar.state === QUEUED)
        return leftOf(bar) + QUEUED_WIDE;
    return Math.max(view.axis.to(bar) * view.zoom + (bar.state === OPEN ? TAIL : 0), leftOf(bar) + 3);
}

function middle(row) {
    const g = row.group;
    return g.top + (g.folded ? FOLDED * (row.nth + 0.5) / g.rows.length : GAP / 2 + ROW * (row.nth + 0.5));
}

function placeGroups() {
    total = AXIS;
    groups.forEach((g) => {
        g.top = total;
        g.high = g.folded ? FOLDED : g.rows.length * ROW + GAP;
        total += g.high;
        g.head.style.height = g.high + 'px';
        g.head.classList.toggle('folded', g.folded);
        g.head.firstElementChild.setAttribute('aria-expanded', String(!g.folded));
    });
}

const wholeWidth = () => Math.ceil(view.axis.end * view.zoom + MARGIN);
const seen = () => ({
    left: box.scrollLeft, top: box.scrollTop,
    wide: box.clientWidth - names.offsetWidth, high: Math.min(box.clientHeight || total, total)
});

/* ---- bars ---- */

/* The first bar of a row that ends at or behind x. */
function firstFrom(row, x) {
    let low = 0, high = row.bars.length;
    while (low < high) {
        const at = low + high >> 1;
        if (rightOf(row.bars[at]) < x)
            low = at + 1;
        else
            high = at;
    }
    return low;
}

function classOf(bar) {
    const color = view.byComm ? (bar.comm < 0 ? 'none' : 'c' + bar.comm % 8) : 'k' + bar.color;
    return color + ['', ' open', ' queued', ' bad'][bar.state] + (bar === view.selected ? ' on' : '') +
        (view.hidden.has(bar.comm) || (view.searching && !bar.hit) ? ' off' : '');
}

function drawRow(row, part, into) {
    const g = row.group, high = g.folded ? Math.max(1, (FOLDED - 2) / g.rows.length) : BAR;
    const y = middle(row) - high / 2 - part.top;
    let last = -Infinity;
    for (let i = firstFrom(row, part.left - 2); i < row.bars.length; i++) {
        const bar = row.bars[i], from = leftOf(bar), to = rightOf(bar);
        if (from > part.left + part.wide)
            break;
        if (to - last < 1 && bar !== view.selected)
            continue;                                /* no pixel of its own; the arrow keys still reach it */
        last = to;
        const x = Math.max(from - part.left, -4), wide = Math.min(to - part.left, part.wide + 4) - x;
        draw('rect', { class: classOf(bar), x, y, width: Math.max(wide - (wide > 4 ? 1 : 0), 2), height: high,
                       'data-bar': bar.index }, into);
        if (!g.folded && wide > bar.name.length * 6.8 + 8)
            draw('text', { class: view.byComm && bar.comm < 0 ? 'name none' : 'name', x: x + 4, y: y + 11 }, into, bar.name);
    }
}

function drawGroups(part, into) {
    groups.forEach((g) => {
        if (g.top + g.high < part.top || g.top > part.top + part.high)
            return;
        if (g.index % 2 === 0)
            draw('rect', { class: 'stripe', x: 0, y: g.top - part.top, width: part.wide, height: g.high }, into);
        g.rows.forEach((row) => drawRow(row, part, into));
    });
}

/* ---- lines between bars ---- */

function drawMeetings(part, into) {
    const MANY = 32;
    let path = '';
    meetings.forEach((m) => {
        const x = leftOf(m.last), y = middle(m.last.row) - part.top;
        const farthest = m.others.reduce((most, bar) => Math.max(most, leftOf(bar)), x);
        if (farthest < part.left || x > part.left + part.wide)
            return;
        if (m.others.length > MANY) {
            const all = m.others.map((bar) => middle(bar.row) - part.top).concat(y);
            path += 'M' + (x - part.left) + ' ' + Math.min(...all) + 'V' + Math.max(...all);
            return;
        }
        m.others.forEach((bar) => {
            path += 'M' + (x - part.left) + ' ' + y + 'L' + (Math.max(leftOf(bar), x) - part.left) + ' ' +
                (middle(bar.row) - part.top);
        });
    });
    draw('path', { class: 'match', d: path }, into);
}

function drawWaits(part, into) {
    let lines = '', heads = '';
    waits.forEach((w) => {
        const x1 = rightOf(w.from) - part.left, x2 = rightOf(w.to) - part.left;
        const y1 = middle(w.from.row) - part.top, y2 = middle(w.to.row) - part.top;
        const out = 24 + Math.min(90, Math.abs(y2 - y1) / 6);
        lines += `M${x1} ${y1}C${x1 + out} ${y1} ${x2 + out} ${y2} ${x2} ${y2}`;
        heads += `M${x2} ${y2}${w.to.row.group.folded ? 'l6 -2v4z' : 'l8 -4v8z'}`;
    });
    draw('path', { class: 'waits', d: lines }, into);
    draw('path', { class: 'heads', d: heads }, into);
}

function drawMarks(part, into) {
    data.marks.forEach((mark) => {
        const x = view.axis.at(mark[1]) * view.zoom - part.left, y = groups[mark[0]].top - part.top;
        draw('path', { class: 'mark', d: `M${x} ${y}v14` }, into);
        draw('text', { class: 'marked', x: x + 3, y: y + 11 }, into, mark[2]);
    });
}

function drawAxis(part, into) {
    const lines = draw('g', { class: 'tick' }, into), head = draw('g', { class: 'tick' }, into);
    draw('rect', { class: 'head', x: 0, y: 0, width: part.wide, height: AXIS }, head);
    view.axis.ticks(view.zoom, part.left, part.left + part.wide, 90).forEach((tick) => {
        const x = tick[0] - part.left;
        draw('path', { d: `M${x} ${AXIS}V${part.high}` }, lines);
        draw('path', { d: `M${x} 16V${AXIS}` }, head);
        draw('text', { x: x + 2, y: 13 }, head, formatTime(tick[1]));
    });
}

/* ---- all of it ---- */

function redraw(whole) {
    const part = whole || seen();
    chart.textContent = '';
    chart.setAttribute('width', part.wide);
    chart.setAttribute('height', part.high);
    const axis = draw('g', {}, chart), body = draw('g', {}, chart);
    drawGroups(part, body);
    drawMeetings(part, body);
    drawWaits(part, body);
    drawMarks(part, body);
    drawAxis(part, axis);
    chart.appendChild(axis.lastElementChild);        /* the times stay above the bars */
}

function layOut() {
    placeGroups();
    space.style.width = wholeWidth() + 'px';
    space.style.height = total + 'px';
    redraw();
}

function zoomTo(to, at) {
    const x = at === undefined ? seen().wide / 2 : at, where = (box.scrollLeft + x) / view.zoom;
    view.zoom = Math.max(100 / view.axis.end, Math.min(WIDEST / view.axis.end, to));
    space.style.width = wholeWidth() + 'px';
    box.scrollLeft = where * view.zoom - x;
    redraw();
}

function fit() {
    zoomTo((seen().wide - MARGIN - 4) / view.axis.end);
    box.scrollLeft = 0;
}

function makeNames() {
    names.id = 'names';
    names.appendChild(document.createElement('div')).className = 'corner';
    groups.forEach((g) => {
        const button = document.createElement('button'), list = document.createElement('ol');
        g.head = names.appendChild(document.createElement('div'));
        g.head.className = 'n';
        button.type = 'button';
        button.textContent = g.name;
        button.title = g.name;
        button.addEventListener('click', () => {
            g.folded = !g.folded;
            layOut();
        });
        g.rows.forEach((row) => { list.appendChild(document.createElement('li')).textContent = row.name; });
        g.head.append(button, list);
    });
}

makeNames();
space.id = 'space';
chart.id = 'chart';
chart.setAttribute('aria-hidden', 'true');           /* the panel says in words what is selected */
space.appendChild(chart);
box.append(names, space);
byId('view').hidden = false;
