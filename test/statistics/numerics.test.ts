import { test } from 'tap';
import {
  binomialAtMost,
  exactInterval,
  lowerBound,
  upperBound,
} from '../../src/statistics/numerics/binomial.js';
import { sameProportion } from '../../src/statistics/numerics/hypergeometric.js';
import { logChoose, logFactorial } from '../../src/statistics/numerics/log-factorial.js';

const near = (a: number, b: number, relative = 1e-9) => Math.abs(a - b) <= relative * Math.abs(b);

test('factorials', (t) => {
  let sum = 0;
  for (let n = 1; n <= 200; n += 1) {
    sum += Math.log(n);
    if (!near(logFactorial(n), sum, 1e-13)) t.fail(`ln ${n}!: ${logFactorial(n)} and ${sum}`);
  }
  t.equal(logFactorial(0), 0);
  t.ok(near(Math.exp(logChoose(52, 5)), 2_598_960));
  t.end();
});

// From scipy.stats.binom.cdf of SciPy 1.17.1.
const BINOMIAL = [
  [0, 59, 0.05, 0.04849452524942322],
  [3, 20, 0.2, 0.41144886195656893],
  [5, 10, 0.4, 0.8337613824],
  [30, 1000, 0.05, 0.0012770679174797827],
  [70, 1000, 0.05, 0.9976696994523914],
  [450, 10_000, 0.05, 0.010688078131714015],
  [4900, 100_000, 0.05, 0.07407626615555202],
  [5200, 100_000, 0.05, 0.998093344809657],
  [500, 1000, 0.5, 0.5126125090891802],
] as const;

test('binomial tails', (t) => {
  for (const [k, n, p, expected] of BINOMIAL) t.ok(near(binomialAtMost(k, n, p), expected), `${k} of ${n}`);
  t.equal(binomialAtMost(-1, 10, 0.5), 0);
  t.equal(binomialAtMost(10, 10, 0.5), 1);
  t.equal(binomialAtMost(0, 0, 0.5), 1);
  t.equal(binomialAtMost(3, 10, 0), 1);
  t.equal(binomialAtMost(3, 10, 1), 0);
  t.end();
});

// R 4 prints those of 682 of 925 in the examples of binom.test; all are from scipy.stats.binomtest of SciPy 1.17.1.
const INTERVALS = [
  [682, 925, 0.707668264079039, 0.7654065582414781],
  [7, 20, 0.1539092047845412, 0.5921885345328283],
  [0, 10, 0, 0.30849710781876294],
  [10, 20, 0.27195784956079133, 0.7280421504392086],
  [1, 1, 0.025, 1],
  [0, 1, 0, 0.975],
  [3, 100, 0.006229971538306227, 0.08517605297428028],
  [40, 1000, 0.028727625285890804, 0.05407269681936851],
] as const;

test('intervals of Clopper and Pearson', (t) => {
  for (const [k, n, low, high] of INTERVALS) {
    const [a, b] = exactInterval(k, n, 0.95);
    t.ok(near(a, low) && near(b, high), `${k} of ${n}: ${a} to ${b}`);
  }
  t.strictSame(exactInterval(0, 0, 0.95), [0, 1]);
  t.ok(near(upperBound(0, 59, 0.05), 1 - 0.05 ** (1 / 59)));
  t.ok(near(lowerBound(59, 59, 0.05), 0.05 ** (1 / 59)));
  t.end();
});

// Twice the smaller tail of scipy.stats.hypergeom of SciPy 1.17.1. The first two are Fisher's tea and convicts (R's
// fisher.test prints 0.0004652 for one tail of the second).
const PROPORTIONS = [
  [3, 4, 1, 4, 0.48571428571428565],
  [2, 12, 15, 18, 0.0009303618867258101],
  [120, 400, 400, 1000, 0.000526079499714634],
  [0, 400, 9, 1000, 0.09580514414852713],
  [30, 400, 150, 1000, 0.00011510114872295059],
  [5000, 100_000, 80, 1000, 7.718961699032681e-5],
  [1, 1, 0, 1, 1],
  [0, 10, 0, 10, 1],
  [10, 10, 10, 10, 1],
] as const;

test('the exact two-sample test', (t) => {
  for (const [a, n, b, m, expected] of PROPORTIONS) {
    const p = sameProportion({ having: a, of: n }, { having: b, of: m });
    t.ok(near(p, expected), `${a} of ${n}, ${b} of ${m}: ${p}`);
    t.ok(near(sameProportion({ having: b, of: m }, { having: a, of: n }), expected), 'in the other order');
  }
  t.equal(sameProportion({ having: 0, of: 0 }, { having: 3, of: 9 }), 1);
  t.end();
});
