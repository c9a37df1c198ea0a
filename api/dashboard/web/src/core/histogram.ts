// Scored is the number of clicks with one bot score.
export type Scored = { score: number; clicks: number }

const sum = (list: Scored[]) => list.reduce((n, s) => n + s.clicks, 0)

// botsAt returns the number of clicks that count as a bot's: their score is at least the threshold.
export const botsAt = (scores: Scored[], threshold: number) => sum(scores.filter(s => s.score >= threshold))

// sides returns how many clicks change sides when the threshold moves from `from` to `to`. `toBots` is the number of clicks that
// become a bot's, and `toHumans` the number that become a human's.
export function sides(scores: Scored[], from: number, to: number) {
  const n = botsAt(scores, to) - botsAt(scores, from)
  return { toBots: Math.max(0, n), toHumans: Math.max(0, -n) }
}
