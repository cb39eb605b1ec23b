(function () {
'use strict';
var ROW = 18, GAP = 8, FOLDED = 14, AXIS = 22;
var id = function (name) { return document.getElementById(name); };
var box = id('box'), chart = id('chart'), told = id('told'), labels = id('labels');
var data = JSON.parse(id('data').textContent);
var ranks = chart.querySelectorAll('.r'), stripes = chart.querySelectorAll('.stripe');
var names = id('names').querySelectorAll('.n'), rows = Array.from(chart.querySelectorAll('.l'));
var folded = Array.from(ranks, function () { return data.folded; });
var zoom = 1, current = null, held = false, top = [];

/* ---- where the ranks are ---- */

function middle(rank, row) {
    return top[rank] + (folded[rank] ? FOLDED * (row + 0.5) / data.rows[rank]
                                     : GAP / 2 + ROW * (row + 0.5));
}

function drawArrows() {
    var match = '', waits = '', heads = '';
    data.arrows.forEach(function (a) {
        var y1 = middle(a[2], a[3]), y2 = middle(a[5], a[6]), out = 24 + Math.min(90, Math.abs(y2 - y1) / 6);
        if (!a[0]) {
            match += 'M' + a[1] + ' ' + y1 + 'L' + a[4] + ' ' + y2;
            return;
        }
        waits += 'M' + a[1] + ' ' + y1 + 'C' + (a[1] + out) + ' ' + y1 + ' ' + (a[4] + out) + ' ' + y2 +
                 ' ' + a[4] + ' ' + y2;
        heads += 'M' + a[4] + ' ' + y2 + (folded[a[5]] ? 'l6 -2v4z' : 'l8 -4v8z');
    });
    id('match').setAttribute('d', match);
    id('waits').setAttribute('d', waits);
    id('heads').setAttribute('d', heads);
}

function layOut() {
    var y = AXIS;
    ranks.forEach(function (g, r) {
        var full = data.rows[r] * ROW, high = folded[r] ? FOLDED : full + GAP;
        top[r] = y;
        g.setAttribute('transform', folded[r] ? 'translate(0 ' + (y + 1) + ') scale(1 ' + (FOLDED - 2) / full + ')'
                                              : 'translate(0 ' + (y + GAP / 2) + ')');
        g.classList.toggle('small', folded[r]);
        stripes[r].setAttribute('y', y);
        stripes[r].setAttribute('height', high);
        names[r].style.height = high + 'px';
        names[r].classList.toggle('folded', folded[r]);
        names[r].firstElementChild.setAttribute('aria-expanded', String(!folded[r]));
        y += high;
    });
    chart.setAttribute('height', y);
    chart.setAttribute('viewBox', '0 0 ' + data.width + ' ' + y);
    drawArrows();
    label();
}

/* ---- names in bars, where there is room ---- */

function label() {
    var from = box.scrollLeft / zoom - 400, to = (box.scrollLeft + box.clientWidth) / zoom + 400, count = 0;
    labels.textContent = '';
    rows.forEach(function (row) {
        var rank = +row.dataset.rank, bar = row.firstElementChild;
        if (folded[rank])
            return;
        for (; bar && count < 3000; bar = bar.nextElementSibling) {
            var x = +bar.getAttribute('x'), width = +bar.getAttribute('width'), name = bar.dataset.name;
            if (!name || x > to || x + width < from || width * zoom < name.length * 6.8 + 8)
                continue;
            var text = document.createElementNS(chart.namespaceURI, 'text');
            text.setAttribute('class', 't');
            text.setAttribute('x', x + 4 / zoom);
            text.setAttribute('y', middle(rank, +row.dataset.row) + 4);
            text.textContent = name;
            labels.appendChild(text);
            count++;
        }
    });
}

/* ---- zoom and pan ---- */

function zoomTo(to, at) {
    var x = at === undefined ? box.clientWidth / 2 : at, where = (box.scrollLeft + x) / zoom;
    zoom = Math.max(1e-3, Math.min(64, to));
    chart.setAttribute('width', data.width * zoom);
    box.style.setProperty('--u', 1 / zoom);
    box.scrollLeft = where * zoom - x;
    label();
}

function fit() {
    zoomTo((box.clientWidth - id('names').offsetWidth - 2) / data.width);
}

function foldAll(to) {
    folded = folded.map(function () { return to; });
    layOut();
}

var pending = false;
box.addEventListener('scroll', function () {
    if (!pending)
        requestAnimationFrame(function () { pending = false; label(); });
    pending = true;
});
box.addEventListener('wheel', function (e) {
    if (!e.ctrlKey && !e.metaKey)
        return;
    e.preventDefault();
    zoomTo(zoom * (e.deltaY < 0 ? 1.25 : 0.8), e.clientX - box.getBoundingClientRect().left - id('names').offsetWidth);
}, { passive: false });
var drag = null;
chart.addEventListener('pointerdown', function (e) {
    if (e.pointerType === 'mouse' && e.button === 0)
        drag = { x: e.clientX, left: box.scrollLeft };
});
addEventListener('pointermove', function (e) {
    if (drag)
        box.scrollLeft = drag.left - (e.clientX - drag.x);
});
addEventListener('pointerup', function () { drag = null; });

/* ---- what a bar is ---- */

function tableRowOf(bar) {
    var d = bar.dataset;
    return id(d.call ? 'c' + d.call : d.op ? 'o' + d.op : d.wait ? 'w' + d.wait : 'e' + d.end);
}

function show(bar) {
    if (current)
        current.classList.remove('on');
    current = bar;
    bar.classList.add('on');
    var cells = Array.from(tableRowOf(bar).cells, function (c) { return c.textContent.trim(); });
    told.textContent = 'rank ' + bar.parentNode.dataset.rank + ', ' + cells[0] + ': ' + cells[4] +
        (cells[1] ? ', line ' + cells[1] : '') + (cells[2] && '; at ' + cells[2] + ' us') +
        (cells[3] && ', took ' + cells[3] + ' us');
}

function isBar(e) {
    return e && e.tagName === 'rect' && e.parentNode.classList.contains('l');
}

chart.addEventListener('pointerover', function (e) {
    if (isBar(e.target) && !held)
        show(e.target);
});
chart.addEventListener('click', function (e) {
    held = isBar(e.target);
    if (held)
        show(e.target);
});

function near(row, x) {
    var best = null, distance = Infinity;
    Array.from(row.children).forEach(function (bar) {
        var from = +bar.getAttribute('x'), to = from + +bar.getAttribute('width');
        var d = x < from ? from - x : x > to ? x - to : 0;
        if (d < distance) {
            best = bar;
            distance = d;
        }
    });
    return best;
}

function otherRow(step) {
    var at = rows.indexOf(current.parentNode) + step;
    while (rows[at] && !rows[at].firstElementChild)
        at += step;
    return rows[at] ? near(rows[at], +current.getAttribute('x')) : null;
}

function into(bar) {
    var r = bar.getBoundingClientRect(), b = box.getBoundingClientRect(), left = b.left + id('names').offsetWidth;
    if (r.left < left || r.right > b.right)
        box.scrollLeft += r.left - left - 40;
    if (r.top < 0 || r.bottom > innerHeight - 60)
        scrollBy(0, r.top - innerHeight / 2);
}

var moves = {
    ArrowRight: function () { return current.nextElementSibling; },
    ArrowLeft: function () { return current.previousElementSibling; },
    ArrowDown: function () { return otherRow(1); },
    ArrowUp: function () { return otherRow(-1); },
    Home: function () { return current.parentNode.firstElementChild; },
    End: function () { return current.parentNode.lastElementChild; }
};
var keys = {
    '+': function () { zoomTo(zoom * 1.5); }, '=': function () { zoomTo(zoom * 1.5); },
    '-': function () { zoomTo(zoom / 1.5); }, '0': fit, '1': function () { zoomTo(1); },
    Enter: function () {
        var row = current && tableRowOf(current);
        if (!row)
            return;
        row.closest('details').open = true;
        row.tabIndex = -1;
        row.focus();
    },
    Escape: function () { held = false; }
};
box.addEventListener('keydown', function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target !== box)
        return;
    var bar = null;
    if (moves[e.key])
        bar = current ? moves[e.key]() : chart.querySelector('.l rect');
    else if (keys[e.key])
        keys[e.key]();
    else
        return;
    e.preventDefault();
    if (bar) {
        held = true;
        show(bar);
        into(bar);
    }
});

/* ---- the buttons, which would be of no use without this ---- */

names.forEach(function (n, r) {
    var old = n.firstElementChild, button = document.createElement('button');
    button.type = 'button';
    button.className = 'who';
    button.textContent = old.textContent;
    button.addEventListener('click', function () {
        folded[r] = !folded[r];
        layOut();
    });
    n.replaceChild(button, old);
});
[['zoom in', keys['+']], ['zoom out', keys['-']], ['fit', fit], ['1:1', keys['1']],
 ['fold all', function () { foldAll(true); }], ['unfold all', function () { foldAll(false); }]
].forEach(function (b) {
    var button = document.createElement('button');
    button.type = 'button';
    button.textContent = b[0];
    button.addEventListener('click', b[1]);
    id('tools').appendChild(button);
});
box.tabIndex = 0;
told.hidden = false;
layOut();
if (data.width < box.clientWidth - id('names').offsetWidth)
    fit();
else if (data.arrows.some(function (a) { return a[0]; })) /* who waits is at the end */
    box.scrollLeft = box.scrollWidth;
}());
