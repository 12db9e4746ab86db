// What templates in JavaScript know of Webots, as a function of how much may be printed. It returns a function that gives
// what was written so far, as JSON: each text after the number of its piece, or -1 if it is a message.
(function (most) {
  const {stringify} = JSON, text = String, {isArray} = Array, keys = Object.keys;
  const {floor, hypot, cos, sin, atan2, PI} = Math;
  let written = '', size = 0, state = 0;

  const write = (piece, value) => {
    size += value.length + 16;
    if (size > most) throw new RangeError(`the template prints more than ${most} characters`);
    written += `${piece},${stringify(value)},\n`;
  };
  const say = (...words) => write(-1, `${words.map(word => text(word)).join(' ').slice(0, 400)}\n`);
  const silent = () => {};
  globalThis.__text = piece => write(+piece, '');
  globalThis.__print = (piece, value) => write(+piece, text(value));
  globalThis.console = {error: say, warn: say, log: silent, info: silent, debug: silent};

  // the same every time, and no programs that are made while the template runs
  Math.random = () => (state = (1103515245 * state + 12345) % 2147483648) / 2147483648;
  for (const made of [() => {}, function* () {}, async () => {}, async function* () {}])
    delete Object.getPrototypeOf(made).constructor;
  for (const name of ['Function', 'eval', 'Date', 'performance', 'Atomics', 'SharedArrayBuffer', 'queueMicrotask'])
    delete globalThis[name];

  const numbers = (value, axes) => [...axes].map(axis => +value[axis]);
  const record = (axes, values) => Object.fromEntries([...axes].map((axis, index) => [axis, values[index]]));
  const copy = value => {
    if (isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(keys(value).map(key => [key, copy(value[key])]));
  };
  // a function by the letters of what each argument has, 1 for a number, and of what it returns
  const of = (make, takes, gives) => (...given) => {
    const kinds = takes.split(' ');
    if (given.length < kinds.length) throw new TypeError('a function of vectors or rotations needs more arguments');
    const made = make(...kinds.map((kind, index) => kind === '1' ? +given[index] : numbers(given[index], kind)));
    return gives ? record(gives, made) : made;
  };
  const scale = (a, s) => a.map(x => x * s);
  const unit = a => hypot(...a) > 0 ? a.map(x => x / hypot(...a)) : a;
  const sum = a => a.reduce((x, y) => x + y, 0);

  const vectors = axes => {
    const two = `${axes} ${axes}`;
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    return {
      add: of((a, b) => a.map((x, i) => x + b[i]), two, axes),
      minus: of((a, b) => a.map((x, i) => x - b[i]), two, axes),
      multiply: of(scale, `${axes} 1`, axes),
      dot: of((a, b) => sum(a.map((x, i) => x * b[i])), two),
      norm: of(a => hypot(...a), axes),
      distance: of((a, b) => hypot(...a.map((x, i) => x - b[i])), two),
      equal: of((a, b) => a.every((x, i) => x === b[i]), two),
      atan2: of(a => atan2(a[1], a[0]), axes),
      angle: of((a, b) => atan2(a[1] - b[1], a[0] - b[0]), two),
      cross: axes.length === 2 ? of((a, b) => a[0] * b[1] - a[1] * b[0], two) : of(cross, two, axes),
      normalize: of(unit, axes, axes),
    };
  };

  const quaternion = r => {
    const axis = hypot(r[0], r[1], r[2]) > 0 ? unit(r.slice(0, 3)) : [0, 1, 0];
    return [cos(0.5 * r[3]), ...scale(axis, sin(0.5 * r[3]))];
  };
  const axisAngle = q => {
    const size = hypot(q[1], q[2], q[3]), angle = 2 * atan2(size, q[0]);
    return angle < 1e-4 ? [0, 1, 0, 0] : [q[1] / size, q[2] / size, q[3] / size, angle];
  };
  const product = (p, q) => [
    p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
    p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
  ];
  const rotate = (r, v) => {
    const q = quaternion(r);
    return product(product(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]).slice(1);
  };

  // points on a circle, the first once more as the last; the centre is a vector or two numbers
  const circle = (radius, count, ...rest) => {
    if (!(count >= 1)) throw new RangeError('wbgeometry.circle needs a number of points above 0');
    const centre = typeof rest[0] === 'object' ? [...numbers(rest[0], 'xy'), rest[1]] : rest;
    const [x = 0, y = 0, shift = 0] = centre, points = [];
    for (let i = 0; i <= floor(count); ++i) {
      const angle = shift + 2 * PI * i / count;
      points.push({x: x + radius * cos(angle), y: y + radius * sin(angle)});
    }
    return points;
  };

  // Webots' generator, so that a PROTO with a seed has the same numbers here
  const next = () => (state = (1140671485 * state + 12820163) % 2 ** 24);
  const ends = (given, low, high) => given.length > 1 ? given.map(Number) : [low, given.length ? +given[0] : high];
  const real = (...given) => {
    const [low, high] = ends(given, 0, 1);
    return low + next() * (high - low) / (2 ** 24 - 1);
  };
  const integer = (...given) => {
    const [low, high] = ends(given, given.length ? 1 : 0, 2 ** 24 - 1);
    return high >= low ? low + next() % (1 + high - low) : low;
  };
  const has = axes => value => typeof value === 'object' && value !== null && [...axes].every(axis => axis in value);

  const modules = {
    wbvector2: vectors('xy'),
    wbvector3: vectors('xyz'),
    wbutility: {
      assert: (holds, ...words) => { if (!holds) say(...words); },
      error: say, info: silent, deepCopy: copy,
      degreesToRadians: degrees => degrees * PI / 180, radiansToDegrees: radians => radians * 180 / PI,
      isScalar: value => typeof value === 'number', isVector2: has('xy'), isVector3: has('xyz'),
      isAxisAngle: has('xyza'), isQuaternion: has('wxyz'),
    },
    wbcore: {tablelength: list => list.length, deepcopy: copy},
    wbmath: {round: value => floor(+value + 0.5)},
    wbrandom: {seed: (seed = 0) => { state = +seed; }, real, integer},
    wbgeometry: {circle},
    wbrotation: {
      toQuaternion: of(quaternion, 'xyza', 'wxyz'),
      fromQuaternion: of(axisAngle, 'wxyz', 'xyza'),
      combine: of((p, q) => axisAngle(product(quaternion(p), quaternion(q))), 'xyza xyza', 'xyza'),
      rotateVector3ByRotation: of(rotate, 'xyza xyz', 'xyz'),
      isIdentity: of(r => r[3] === 0, 'xyza'),
    },
  };
  globalThis.__module = file => {
    const name = text(file).split('/').pop().replace(/\.m?js$/, '');
    if (!Object.hasOwn(modules, name))
      throw new ReferenceError(`the module '${name.slice(0, 40)}' is not known here; there are ${keys(modules).sort().join(', ')}`);
    return modules[name];
  };
  return () => stringify(`[${written}0]`);
})
