/* Where times are drawn. An axis gives each bar `from` and `to` in units; the picture multiplies them by its
 * zoom. On the linear axis a unit is a nanosecond. On the folded axis calls that take no time stand side by
 * side, and a time that is a thousand times longer is drawn less than ten times as long. */

const STEP = 10;                                     /* units of a bar that takes no time, on the folded axis */

function sortedTimes() {
    const all = [0, data.now];
    bars.forEach((bar) => all.push(bar.begin, bar.end));
    return Array.from(new Set(all)).sort((a, b) => a - b);
}

const times = sortedTimes();

const linear = {
    name: 'linear',
    end: Math.max(1, data.now),
    from: (bar) => bar.state === QUEUED ? linear.end : bar.begin,
    to: (bar) => bar.state === QUEUED ? linear.end : bar.end,
    at: (time) => time,
    ticks(zoom, left, right, apart) {
        const digits = 10 ** Math.floor(Math.log10(apart / zoom));
        const step = [1, 2, 5, 10].map((n) => n * digits).find((n) => n * zoom >= apart);
        const found = [];
        for (let t = Math.max(0, Math.floor(left / zoom / step)) * step; t * zoom <= right && t <= linear.end; t += step)
            found.push([t * zoom, t]);
        return found;
    }
};

/* The bars side by side at each time: the most that any one row has there. */
function widths(place) {
    const wide = new Array(times.length).fill(0);
    rows.forEach((row) => {
        let run = 0, last = -1;
        row.bars.forEach((bar) => {
            if (bar.end !== bar.begin || bar.state === QUEUED)
                return;
            run = bar.begin === last ? run + 1 : 1;
            last = bar.begin;
            const i = place.get(last);
            wide[i] = Math.max(wide[i], run);
        });
    });
    return wide;
}

function makeFolded() {
    const place = new Map(times.map((time, i) => [time, i])), wide = widths(place);
    const x = [], from = new Array(bars.length), to = new Array(bars.length);
    let end = 4;
    times.forEach((time, i) => {
        x.push(end);
        end += wide[i] * STEP;
        if (i + 1 < times.length)
            end += 12 + 7 * Math.ceil(Math.log2(1 + Math.floor((times[i + 1] - time) / 250)));
    });
    end += STEP;
    const placeBar = (bar, run) => {
        let left = x[place.get(bar.begin)] + run * STEP;
        const cause = bars[bar.cause];
        if (cause && cause.begin === bar.begin)      /* behind the call that enqueued it, or inside it */
            left = cause.end === cause.begin ? to[cause.index] : from[cause.index];
        from[bar.index] = bar.state === QUEUED ? end : left;
        to[bar.index] = bar.state === QUEUED || bar.state === OPEN ? end
            : bar.end === bar.begin ? left + STEP : x[place.get(bar.end)];
    };
    const placeRow = (row) => {
        let run = 0, last = -1;
        row.bars.forEach((bar) => {
            run = bar.begin === last ? run : 0;
            last = bar.begin;
            placeBar(bar, run);
            run += bar.end === bar.begin ? 1 : 0;
        });
    };
    const isDevice = (row) => row.bars.length > 0 && row.bars[0].kind === DEVICE;
    rows.filter((row) => !isDevice(row)).forEach(placeRow); /* an operation is placed by its call */
    rows.filter(isDevice).forEach(placeRow);
    return {
        name: 'folded',
        end,
        from: (bar) => from[bar.index],
        to: (bar) => to[bar.index],
        at(time) {
            let i = 0;
            while (i + 1 < times.length && times[i + 1] <= time)
                i++;
            return x[i] + wide[i] * STEP;
        },
        ticks(zoom, left, right, apart) {
            const found = [];
            let next = -Infinity;
            x.forEach((at, i) => {
                if (at * zoom < next || at * zoom > right)
                    return;
                next = at * zoom + apart;
                if (at * zoom >= left - apart)
                    found.push([at * zoom, times[i]]);
            });
            return found;
        }
    };
}

const folded = makeFolded();

/* True if a linear axis, as wide as a screen, shows most of the bars that take time. */
function linearShows() {
    const SCREEN = 1000, SEEN = 3, long = bars.filter((bar) => bar.end > bar.begin);
    return 2 * long.filter((bar) => (bar.end - bar.begin) / linear.end * SCREEN >= SEEN).length >= Math.max(1, long.length);
}
