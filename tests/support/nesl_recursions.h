// Recursive NESL programs of many shapes, all of whose recursive functions are lifted.
#pragma once

#include <string>
#include <vector>

#include "tests/support/gallery.h"

namespace nvm::test {

struct Recursion {
  const char* name;
  std::string text;  // its last expression applies the functions to many instances
};

// A sorting network: the same exchanges whatever the keys.
inline constexpr const char* kExchanges = R"(
function merge(v) =
if #v < 2 then v
else let (low, high) = (take(v, #v / 2), drop(v, #v / 2));
         smaller = {min(a, b) : a in low; b in high};
         larger = {max(a, b) : a in low; b in high};
         merged = {merge(half) : half in [smaller, larger]}
     in merged[0] ++ merged[1] $
function exchanges(v) =
if #v < 2 then v
else let sorted = {exchanges(half) : half in [take(v, #v / 2), drop(v, #v / 2)]}
     in merge(sorted[0] ++ reverse(sorted[1])) $
{exchanges({rem(i * k * 7919, 101) : i in [0:128]}) : k in [1:10]} $)";

inline const std::vector<Recursion>& nesl_recursions() {
  static const std::vector<Recursion> kAll = {
      {"quicksort",
       first_definition("quicksort") + "{quicksort({rem(i * k, 7) : i in [0:k]}) : k in [0:9]} $"},
      {"mergesort", R"(
function place(v, x, low, high) =
if low >= high then low
else let m = (low + high) / 2 in if v[m] < x then place(v, x, m + 1, high) else place(v, x, low, m) $
function merge(a, b) =
if #a == 0 then b else if #b == 0 then a
else if #a + #b < 3 then if a[0] < b[0] then a ++ b else b ++ a
else let (a, b) = if #a < #b then (b, a) else (a, b);
         m = #a / 2;
         k = place(b, a[m], 0, #b);
         parts = {merge(x, y) : x in [take(a, m), drop(a, m)]; y in [take(b, k), drop(b, k)]}
     in parts[0] ++ parts[1] $
function mergesort(v) =
if #v < 2 then v
else let m = #v / 2; s = {mergesort(p) : p in [take(v, m), drop(v, m)]} in merge(s[0], s[1]) $
{mergesort({rem(i * k, 7) : i in [0:k]}) : k in [0:9]} $)"},
      {"exchanges", kExchanges},
      {"quickhull", R"(
function cross(o, line) =
let (xo, yo) = o; ((x1, y1), (x2, y2)) = line in (x1 - xo) * (y2 - yo) - (y1 - yo) * (x2 - xo) $
function hsplit(points, p1, p2) =
let side = {cross(p, (p1, p2)) : p in points};
    left = {p in points; c in side | c > 0.0}
in if #left < 2 then [p1] ++ left
   else let pm = points[max_index(side)]
        in flatten({hsplit(left, a, b) : a in [p1, pm]; b in [pm, p2]}) $
{hsplit({(float(rem(i * 7, k)), float(rem(i * 3, 5))) : i in [0:k]}, (0.0, 0.0), (float(k), 0.0)) : k in [1:9]} $)"},
      {"queens", R"(
function queens(board, n) =
if #board == n then 1
else let i = #board;
         free = {c in [0:n]; ok in {all({b /= c and abs(b - c) /= i - j : b in board; j in index(i)}) :
                                    c in [0:n]} | ok}
     in sum({queens(board ++ [c], n) : c in free}) $
{queens([c], 5) : c in [0:5]} $)"},
      {"k-d tree", R"(
function kd(points, level) =
if #points < 3 then [level]
else let axis = rem(level, 2);
         keys = {select(axis == 0, x, y) : (x, y) in points};
         r = rank(keys);
         m = #points / 2;
         low = {p in points; k in r | k < m};
         high = {p in points; k in r | k >= m}
     in flatten({kd(part, level + 1) : part in [low, high]}) $
{kd({(float(rem(i * 7, k)), float(rem(i * 3, 5))) : i in [0:k]}, 0) : k in [1:9]} $)"},
      {"fibonacci", R"(
function fib(n) = if n < 2 then n else sum({fib(m) : m in [n - 1, n - 2]}) $
{fib(i) : i in [0:6]} $)"},
      {"selection", R"(
function kth(v, k) =
let pivot = v[#v / 2];
    less = {x in v | x < pivot}
in if k < #less then kth(less, k)
   else let more = {x in v | x > pivot}
        in if k >= #v - #more then kth(more, k - (#v - #more)) else pivot $
{kth({rem(i * j, 11) : j in [1:12]}, 5) : i in [1:9]} $)"},
      {"a table that all share", R"(
function locate(table, x, low, high) =
if low >= high then low
else let m = (low + high) / 2 in if table[m] < x then locate(table, x, m + 1, high) else locate(table, x, low, m) $
let table = {3 * i : i in [0:20]} in {locate(table, x, 0, #table) : x in [0:70:9]} $)"},
      {"bitonic sort", R"(
function merge(v) =
if #v < 2 then v
else let half = #v / 2;
         low = subseq(v, 0, half);
         high = subseq(v, half, #v);
         smaller = {min(a, b) : a in low; b in high};
         larger = {max(a, b) : a in low; b in high}
     in flatten({merge(x) : x in [smaller, larger]}) $
function bitonic(v) =
if #v < 2 then v
else let s = {bitonic(x) : x in [take(v, #v / 2), drop(v, #v / 2)]} in merge(s[0] ++ reverse(s[1])) $
{bitonic({rem(i * k, 7) : i in [0:2^rem(k, 9)]}) : k in [1:12]} $)"},
      {"two calls, one after the other", R"(
function nearest(q, at, tree, best) =
if at < 0 then best
else let (p, low, high) = tree[at];
         (near, far) = if q < p then (low, high) else (high, low);
         best = nearest(q, near, tree, min(best, abs(p - q)))
     in if abs(p - q) < best then nearest(q, far, tree, best) else best $
let tree = [(8, 1, 2), (4, 3, -1), (12, -1, 4), (2, -1, -1), (14, -1, -1)]
in {nearest(q, 0, tree, 100) : q in [0:17]} $)"},
      {"boards that grow", R"(
function count(board, n) =
if #board == n then 1
else let free = {c in [0:n] | not(any({q == c or abs(q - c) == #board - i : q in board; i in [0:#board]}))};
         next = {board ++ [c] : c in free}
     in if #next == 0 then 0 else sum({count(b, n) : b in next}) $
{count([c], 5) : c in [0:5]} $)"},
      {"mutual recursion", R"(
function evens(v) : [int] -> [int] $
function odds(v) : [int] -> [int] = if #v == 0 then [0] else flatten({evens(p) : p in [drop(v, 1), [v[0]]]}) $
function evens(v) : [int] -> [int] = if #v == 0 then [1, 1] else odds(drop(v, 1)) $
{odds([0:k]) : k in [0:6]} $)"},
  };
  return kAll;
}

}  // namespace nvm::test
