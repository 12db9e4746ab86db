-- What templates in Lua know: math, strings, tables and Webots' modules. The value is a function that runs a program.
local load, xpcall, getinfo, sethook, type, tostring = load, xpcall, debug.getinfo, debug.sethook, type, tostring
local error, pairs, ipairs, select, insert, sort = error, pairs, ipairs, select, table.insert, table.sort
local unpack, repeated, floor, cos, sin, atan2 = table.unpack, string.rep, math.floor, math.cos, math.sin, math.atan2
local sqrt, letters = math.sqrt, string.gmatch
local most, work = ...
local written, count, size, state = {}, 0, 0, 0

local function text(value)
  -- an address would be another one every time
  local kind = type(value)
  return (kind == "table" or kind == "function") and kind or tostring(value)
end

local function choose(library, names)
  local made = {}
  for name in names:gmatch("%a[%w_]*") do made[name] = library[name] end
  return made
end

local function write(piece, value)
  size = size + #value + 16
  if size > most then error("the template prints more than " .. most .. " characters", 3) end
  written[count + 1], written[count + 2] = piece, value
  count = count + 2
end

-- the library of the language, less what reaches out or leaves the bounds

local strings = choose(string, "byte char find format gmatch gsub len lower match reverse sub upper")
function strings.rep(given, times, separator)
  separator = separator or ""
  if times * (#given + #separator) > most then error("string.rep makes a text that is too long", 2) end
  return repeated(given, times, separator)
end
getmetatable("").__index = strings
getmetatable("").__metatable = false

local tables = choose(table, "concat insert pack remove sort unpack")
function tables.getn(list) return #list end
function tables.maxn(given)
  local largest = 0
  for key in pairs(given) do if type(key) == "number" and key > largest then largest = key end end
  return largest
end

-- in the same order every time: numbers before texts, both sorted
local function ordered_pairs(given)
  local keys, index = {}, 0
  for key in pairs(given) do insert(keys, key) end
  sort(keys, function (a, b)
    local first, second = type(a), type(b)
    if first ~= second then return first < second end
    return (first == "number" or first == "string") and a < b
  end)
  return function ()
    repeat index = index + 1 until keys[index] == nil or given[keys[index]] ~= nil
    return keys[index], given[keys[index]]
  end
end

-- Webots' own generator, so that a PROTO with a seed has the same numbers here

local function next_random()
  state = (1140671485 * state + 12820163) % 2 ^ 24
  return state
end
local function real(low, high)
  if high == nil then low, high = 0, low or 1 end
  return low + next_random() * (high - low) / (2 ^ 24 - 1)
end
local function integer(low, high)
  if high == nil then low, high = low and 1 or 0, low or 2 ^ 24 - 1 end
  return high >= low and low + next_random() % (1 + high - low) or low
end
local function seed(value) state = value or 0 end

local maths = choose(math, [[abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp huge ldexp log log10 max
  min modf pi pow rad sin sinh sqrt tan tanh]])
function maths.random(...) return (select("#", ...) > 0 and integer or real)(...) end
maths.randomseed = seed

-- Webots' modules

local function map(list, change)
  local made = {}
  for index, x in ipairs(list) do made[index] = change(x, index) end
  return made
end

local function dot(a, b)
  local sum = 0
  for index, x in ipairs(a) do sum = sum + x * b[index] end
  return sum
end
local function norm(a) return sqrt(dot(a, a)) end
local function minus(a, b) return map(a, function (x, i) return x - b[i] end) end
local function scale(a, s) return map(a, function (x) return x * s end) end
local function unit(a) return norm(a) > 0 and scale(a, 1 / norm(a)) or a end

-- a function by the letters of what each argument has, 1 for a number, and of what it returns
local function of(make, takes, gives)
  return function (...)
    local given, made, record = {...}, {}, {}
    for kind in letters(takes, "%S+") do
      local value = given[#made + 1]
      if value == nil then error("a function of vectors or rotations needs more arguments", 2) end
      local numbers = {}
      for axis in letters(kind, "%a") do insert(numbers, value[axis] + 0) end
      insert(made, kind == "1" and value + 0 or numbers)
    end
    local result, index = make(unpack(made)), 0
    if not gives then return result end
    for axis in letters(gives, "%a") do
      index = index + 1
      record[axis] = result[index]
    end
    return record
  end
end

local function vectors(axes)
  local two = axes .. " " .. axes
  local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
  end
  local function flat_cross(a, b) return a[1] * b[2] - a[2] * b[1] end
  return {
    add = of(function (a, b) return map(a, function (x, i) return x + b[i] end) end, two, axes),
    minus = of(minus, two, axes),
    multiply = of(scale, axes .. " 1", axes),
    dot = of(dot, two),
    norm = of(norm, axes),
    distance = of(function (a, b) return norm(minus(a, b)) end, two),
    equal = of(function (a, b) return a[1] == b[1] and a[2] == b[2] and a[3] == b[3] end, two),
    atan2 = of(function (a) return atan2(a[2], a[1]) end, axes),
    angle = of(function (a, b) return atan2(a[2] - b[2], a[1] - b[1]) end, two),
    cross = axes == "xy" and of(flat_cross, two) or of(cross, two, axes),
    normalize = of(unit, axes, axes),
  }
end

local function quaternion(r)
  local axis = {r[1], r[2], r[3]}
  axis = scale(norm(axis) > 0 and unit(axis) or {0, 1, 0}, sin(0.5 * r[4]))
  return {cos(0.5 * r[4]), unpack(axis)}
end
local function axis_angle(q)
  local axis = {q[2], q[3], q[4]}
  local angle = 2 * atan2(norm(axis), q[1])
  if angle < 1e-4 then return {0, 1, 0, 0} end
  axis = unit(axis)
  insert(axis, angle)
  return axis
end
local function product(p, q)
  return {
    p[1] * q[1] - p[2] * q[2] - p[3] * q[3] - p[4] * q[4], p[1] * q[2] + p[2] * q[1] + p[3] * q[4] - p[4] * q[3],
    p[1] * q[3] - p[2] * q[4] + p[3] * q[1] + p[4] * q[2], p[1] * q[4] + p[2] * q[3] - p[3] * q[2] + p[4] * q[1],
  }
end
local function rotate(r, v)
  local q = quaternion(r)
  local made = product(product(q, {0, unpack(v)}), {q[1], -q[2], -q[3], -q[4]})
  return {made[2], made[3], made[4]}
end

-- points on a circle, the first once more as the last
local function circle(radius, count, x, y, shift)
  if not (count >= 1) then error("wbgeometry.circle needs a number of points above 0", 2) end
  local points = {}
  for index = 0, floor(count) do
    local angle = (shift or 0) + 2 * math.pi * index / count
    insert(points, {x = (x or 0) + radius * cos(angle), y = (y or 0) + radius * sin(angle)})
  end
  return points
end

local function copy(value)
  if type(value) ~= "table" then return value end
  local made = {}
  for key, each in pairs(value) do made[key] = copy(each) end
  return made
end

local function silent() end
local function zero() return 0 end
local modules = {
  math = maths, string = strings, table = tables, os = {time = zero, clock = zero},
  io = {stderr = {}, stdout = {write = silent}},
  wbvector2 = vectors("xy"), wbvector3 = vectors("xyz"),
  wbcore = {tablelength = function (list) return #list end, deepcopy = copy},
  wbmath = {round = function (value) return floor(value + 0.5) end, degrees2radians = math.rad},
  wbrandom = {seed = seed, real = real, integer = integer},
  wbgeometry = {circle = circle},
  wbrotation = {
    toquaternion = of(quaternion, "xyza", "wxyz"), fromquaternion = of(axis_angle, "wxyz", "xyza"),
    combine = of(function (p, q) return axis_angle(product(quaternion(p), quaternion(q))) end, "xyza xyza", "xyza"),
    rotatevector3byrotation = of(rotate, "xyza xyz", "xyz"),
    isidentity = of(function (r) return r[4] == 0 end, "xyza"),
  },
}

local known = {
  math = maths, string = strings, table = tables, os = modules.os, io = modules.io, unpack = unpack, ipairs = ipairs,
  pairs = ordered_pairs, tostring = text, tonumber = tonumber, type = type, select = select, error = error,
  assert = assert, print = silent,
}
function known.io.stderr.write(_, ...)
  for _, value in ipairs({...}) do write(-1, text(value)) end
end
function known.require(name)
  if type(name) ~= "string" or not modules[name] then
    local names = {}
    for each in ordered_pairs(modules) do insert(names, each) end
    error("the module '" .. text(name):sub(1, 40) .. "' is not known here; there are " .. table.concat(names, ", "), 2)
  end
  return modules[name]
end
function known.__text(piece) write(piece, "") end
function known.__print(piece, value) write(piece, text(value)) end

-- the work that is left, and what a program writes, each text after the number of its piece; or nil, what is wrong and
-- its line
return function (source, fields, context)
  known.fields, known.context = fields, context
  local program, wrong = load(source, "=template", "t", known)
  if not program then return work, nil, wrong, nil end
  local left, line = work, nil
  local function explain(message)
    local level = 1
    repeat
      level = level + 1
      local frame = getinfo(level, "Sl")
      if frame and frame.source == "=template" then line = frame.currentline end
    until line or not frame
    return text(message)
  end
  sethook(function ()
    left = left - 1000
    if left < 0 then error("work", 0) end
  end, "", 1000)
  local fine, message = xpcall(program, explain)
  sethook()
  return left, fine and written or nil, message, line
end
