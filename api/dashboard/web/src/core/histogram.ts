// The clicks of a window by their score, and what a threshold makes of them.
export type Scored = { score: number; clicks: number }

const sum = (list: Scored[]) => list.reduce((n, s) => n + s.clicks, 0)

// botsAt is how many clicks are a bot's from a threshold on.
export const botsAt = (scores: Scored[], threshold: number) => sum(scores.filter(s => s.score >= threshold))

// sides is how many clicks change sides when a threshold moves: to the bots, or back.
export function sides(scores: Scored[], from: number, to: number) {
  const n = botsAt(scores, to) - botsAt(scores, from)
  return { toBots: Math.max(0, n), toHumans: Math.max(0, -n) }
}
