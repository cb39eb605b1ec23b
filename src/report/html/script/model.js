'use strict';
/* The page's data as objects. A bar is a call, a wait or an operation; a row holds the bars of one thread or
 * stream; a group holds the rows of ranks that did the same. A meeting is the operation that arrived last with
 * those that needed it. Texts come from strangers: they reach the page by textContent alone. */

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const CALL = 0, DEVICE = 2;                          /* kinds, as in report/chart.h */
const OPEN = 1, QUEUED = 2, FAILED = 3;              /* states */
const WAIT_ARROW = 3;
const groups = [], rows = [], bars = [], meetings = [], waits = [];

function readBars(row, count) {
    const FIELDS = 12;
    for (let i = 0; i < count; i++) {
        const index = bars.length, f = data.bars.slice(index * FIELDS, (index + 1) * FIELDS);
        const bar = {
            index, row, begin: f[0], end: f[1] < 0 ? data.now : f[0] + f[1], took: f[1] < 0 ? null : f[1],
            color: f[2] & 7, kind: f[2] >> 3 & 3, state: f[2] >> 5, comm: f[3], name: data.texts[f[4]],
            text: data.texts[f[5]], label: f[6] ? data.texts[f[6] - 1] : '', line: f[7] < 0 ? data.texts[-1 - f[7]] : f[7], file: f[8],
            number: f[9], bytes: f[10], cause: f[11] - 1, meeting: null, waitsFor: [], hit: true,
            nth: i, queuedBefore: 0                  /* in its row */
        };
        if (i && bar.state === QUEUED && row.bars[i - 1].state === QUEUED)
            bar.queuedBefore = row.bars[i - 1].queuedBefore + 1;
        bars.push(bar);
        row.bars.push(bar);
    }
}

function readGroups() {
    data.groups.forEach((g, index) => {
        const group = { index, name: g.name, ranks: g.ranks, rows: [], folded: data.groups.length > 16, top: 0, high: 0 };
        for (let i = 0; i < g.rows.length; i += 2) {
            const row = { group, name: g.rows[i], nth: i / 2, bars: [] };
            group.rows.push(row);
            rows.push(row);
            readBars(row, g.rows[i + 1]);
        }
        groups.push(group);
    });
}

function readArrows() {
    const known = new Map();
    for (let i = 0; i < data.arrows.length; i += 3) {
        const from = bars[data.arrows[i + 1]], to = bars[data.arrows[i + 2]];
        if (data.arrows[i] === WAIT_ARROW) {
            from.waitsFor.push(to);
            waits.push({ from, to });
            continue;
        }
        let meeting = known.get(from);
        if (!meeting) {
            meeting = { last: from, others: [] };
            known.set(from, meeting);
            meetings.push(meeting);
        }
        if (to !== from)
            meeting.others.push(to);
        to.meeting = to.meeting || meeting;
        from.meeting = meeting;
    }
}

function hasRank(group, rank) {
    for (let i = 0; i < group.ranks.length; i += 2)
        if (rank >= group.ranks[i] && rank <= group.ranks[i + 1])
            return true;
    return false;
}

function formatTime(ns) {
    const units = [[1e9, ' s'], [1e6, ' ms'], [1e3, ' us']];
    const unit = units.find((u) => Math.abs(ns) >= u[0]) || [1, ' ns'];
    return ns === 0 ? '0' : String(+(ns / unit[0]).toPrecision(6)) + unit[1];
}

readGroups();
readArrows();
