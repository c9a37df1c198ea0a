// Helpers for tests of modules without a screen. These tests run in the browser of the Go tests, in a bundle of their own.
import type { Ask } from './core/report.ts'

export const failures: string[] = []
export let ran = 0

// test runs fn, and records an error that it throws.
export function test(name: string, fn: () => void) {
  ran++
  try {
    fn()
  } catch (e) {
    failures.push(`${name}: ${e instanceof Error ? e.message : String(e)}`)
  }
}

// equal throws an error if the JSON of two values differs.
export function equal(got: unknown, want: unknown, about = '') {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) throw new Error(`${about} ${a}, want ${b}`.trim())
}

// random returns a generator of numbers that are at least 0 and below 1. The same seed gives the same numbers (Mulberry32).
export function random(seed: number) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
  }
}

// askFor returns the query of a report by country.
export const askFor = (change: Partial<Ask> = {}): Ask => ({
  group: ['country'],
  filters: [],
  least: 0,
  having: [],
  formulas: '',
  columns: [],
  sort: '',
  flat: false,
  open: [],
  ...change,
})
