// Looks at a page as it is laid out; tells the page around it what is wrong, and some of what there is to be seen.
const wrong = [];
const says = element => (element.textContent || element.tagName).trim().slice(0, 40);
const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

if (document.documentElement.scrollWidth > window.innerWidth)
    wrong.push(`the page is ${document.documentElement.scrollWidth} wide, the window ${window.innerWidth}`);
for (const svg of document.querySelectorAll('svg')) {
    const texts = [...svg.querySelectorAll('text')];
    if (texts.length < 4) wrong.push('a chart with hardly a number');
    texts.forEach((text, i) => {
        const box = text.getBoundingClientRect();
        if (!within(box, svg.getBoundingClientRect())) wrong.push(`outside of its chart: ${says(text)}`);
        if (box.height < 9) wrong.push(`too small to read: ${says(text)}`);
        for (const other of texts.slice(i + 1))
            if (!apart(box, other.getBoundingClientRect())) wrong.push(`${says(text)} lies on ${says(other)}`);
    });
}
for (const element of document.querySelectorAll('h1,h2,h3,p,b,small,td,th,figcaption,.tile')) {
    const styled = getComputedStyle(element);
    if (styled.display !== 'inline' && element.scrollWidth > element.clientWidth + 1) wrong.push(`does not fit its box: ${says(element)}`);
    // What is wide scrolls by itself.
    if (!element.closest('.wide') && !within(element.getBoundingClientRect(), document.querySelector('main').getBoundingClientRect()))
        wrong.push(`outside of the page: ${says(element)}`);
}
const seen = [];
const accuracy = [...document.querySelectorAll('.tile')].find(tile => tile.textContent.startsWith('Right'));
if (accuracy) seen.push(`accuracy ${accuracy.querySelector('b').textContent}`);
const matrix = document.querySelector('.matrix');
if (matrix)
    for (const row of matrix.querySelectorAll('tbody tr'))
        row.querySelectorAll('td').forEach((cell, i) => seen.push(`${row.querySelector('th').textContent} ${
            matrix.querySelectorAll('thead th')[i + 1].textContent} ${cell.textContent.replace(/[^0-9.]/g, '')}`));
parent.postMessage(['', ...wrong.map(what => `wrong: ${what}`), ...seen.map(what => `seen: ${what}`), 'end', ''].join('\n'), '*');
