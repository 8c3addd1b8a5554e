// Counts, a line each so many milliseconds.
let count = 0;
setInterval(() => console.log(++count), Number(process.argv[2] ?? 1000));
