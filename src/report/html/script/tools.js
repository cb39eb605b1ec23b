/* The tools above the picture, and the start. */

const tools = byId('tools'), found = document.createElement('output');

function button(text, action) {
    const b = document.createElement('button');
    b.type = 'button';
    b.textContent = text;
    b.addEventListener('click', action);
    return b;
}

function choice(label, names, chosen, action) {
    const holder = document.createElement('label'), list = document.createElement('select');
    names.forEach((name) => list.add(new Option(name, name, false, name === chosen)));
    list.addEventListener('change', () => action(list.value));
    holder.append(label + ' ', list);
    return holder;
}

/* ---- search: a word of a call, "line 12", "rank 3" ---- */

let hits = [];

function matches(bar, word) {
    const rank = /^rank (\d+)$/.exec(word), line = /^line (\d+)$/.exec(word);
    if (rank)
        return hasRank(bar.row.group, +rank[1]);
    if (line)
        return bar.line === +line[1];
    const comm = bar.comm < 0 ? '' : data.comms[bar.comm];
    return [bar.name, bar.text, bar.label, comm].some((text) => text.toLowerCase().includes(word));
}

function search(text) {
    const word = text.trim().toLowerCase();
    view.searching = word !== '';
    bars.forEach((bar) => { bar.hit = !view.searching || matches(bar, word); });
    hits = view.searching ? bars.filter((bar) => bar.hit) : [];
    found.textContent = view.searching ? `${hits.length} of ${bars.length}` : '';
    redraw();
}

function nextHit(step) {
    if (hits.length)
        select(hits[(hits.indexOf(view.selected) + step + hits.length) % hits.length], true);
}

function makeSearch() {
    const label = document.createElement('label'), input = document.createElement('input');
    input.type = 'search';
    input.placeholder = 'AllReduce, line 12, rank 3';
    input.addEventListener('input', () => search(input.value));
    input.addEventListener('keydown', (e) => {
        if (e.key !== 'Enter')
            return;
        e.preventDefault();
        nextHit(e.shiftKey ? -1 : 1);
    });
    label.append('Search ', input);
    return [label, button('next', () => nextHit(1)), found];
}

/* ---- communicators ---- */

const usedComms = Array.from(new Set(bars.map((bar) => bar.comm))).filter((comm) => comm >= 0).sort((a, b) => a - b);

function commBox(comm) {
    const label = document.createElement('label'), input = document.createElement('input'), color = document.createElement('span');
    input.type = 'checkbox';
    input.checked = true;
    input.addEventListener('change', () => {
        if (input.checked)
            view.hidden.delete(comm);
        else
            view.hidden.add(comm);
        redraw();
    });
    color.className = 'key c' + comm % 8;
    label.append(input, color, data.comms[comm]);
    return label;
}

function makeComms() {
    const menu = document.createElement('details'), summary = document.createElement('summary');
    const list = document.createElement('div');
    menu.id = 'comms';
    summary.textContent = `Communicators (${usedComms.length})`;
    list.append(...usedComms.map(commBox));
    menu.append(summary, list);
    return menu;
}

function colorBy(name) {
    view.byComm = name === 'communicator';
    byId('keys').hidden = view.byComm;
    byId('comms').open = view.byComm;
    redraw();
}

/* ---- the rest ---- */

function setAxis(name) {
    view.axis = name === 'linear' ? linear : folded;
    layOut();
    fit();
}

function foldAll(to) {
    groups.forEach((g) => { g.folded = to; });
    layOut();
}

function makeTools() {
    tools.append(choice('Time axis', ['linear', 'folded'], view.axis.name, setAxis),
        button('zoom in', keys['+']), button('zoom out', keys['-']), button('fit', fit));
    if (groups.length > 1)
        tools.append(button('fold all', () => foldAll(true)), button('unfold all', () => foldAll(false)));
    if (usedComms.length > 1)
        tools.append(choice('Color by', ['kind of call', 'communicator'], 'kind of call', colorBy), makeComms());
    tools.append(...makeSearch());
    tools.hidden = false;
}

let pending = false;
function redrawSoon() {
    if (!pending)
        requestAnimationFrame(() => {
            pending = false;
            redraw();
        });
    pending = true;
}

box.addEventListener('scroll', redrawSoon);
addEventListener('resize', redrawSoon);
box.addEventListener('wheel', (e) => {
    if (!e.ctrlKey && !e.metaKey)
        return;
    e.preventDefault();
    zoomTo(view.zoom * (e.deltaY < 0 ? 1.25 : 0.8), e.clientX - space.getBoundingClientRect().left - box.scrollLeft);
}, { passive: false });

/* Paper shows all rows, as wide as the page. */
addEventListener('beforeprint', () => {
    fit();
    redraw({ left: 0, top: 0, wide: seen().wide, high: total });
});
addEventListener('afterprint', () => redraw());

makeTools();
layOut();
if (view.axis === linear || view.axis.end + MARGIN < seen().wide)
    fit();
else if (waits.length)                               /* the waiting threads are at the end */
    box.scrollLeft = box.scrollWidth;
select(null);
follow();
