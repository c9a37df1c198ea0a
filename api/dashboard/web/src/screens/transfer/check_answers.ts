// Splits the output of the script that asks the old tracker (the check before the DNS change) into API calls, and adds up the
// results of these calls.
import type { MoveCompared } from '../../api.gen.ts'

const mostLines = 10_000, // maximum number of lines in one call
  mostChars = 3_500_000

// partsOf splits the script's output into one text for each call. The lines of a campaign stay together.
export function partsOf(text: string): string[] {
  const lines = text.split(/\r?\n/).filter(line => line.trim()),
    asked = lines.find(line => line.startsWith('# asked ')),
    parts: string[][] = []
  let open: string[] = [],
    campaign: string[] = [],
    chars = 0
  const close = () => {
    if (open.length) parts.push(open)
    open = []
    chars = 0
  }
  const add = () => {
    const size = campaign.reduce((sum, line) => sum + line.length + 1, 0)
    if (open.length + campaign.length >= mostLines || chars + size > mostChars) close()
    open.push(...campaign)
    chars += size
    campaign = []
  }
  for (const line of lines) {
    if (line.startsWith('#')) continue
    if (campaign.length && idOf(line) !== idOf(campaign[0]!)) add()
    campaign.push(line)
  }
  add()
  close()
  return parts.map(part => (asked ? [asked, ...part] : part).join('\n') + '\n')
}

const idOf = (line: string) => line.split('.', 1)[0]

// joined adds up the results of several calls.
export function joined(list: MoveCompared[]): MoveCompared {
  const counts: Record<string, number> = {}
  for (const one of list) for (const [result, n] of Object.entries(one.counts)) counts[result] = (counts[result] ?? 0) + n
  return {
    counts,
    unread: list.reduce((sum, one) => sum + one.unread, 0),
    left_out: list.reduce((sum, one) => sum + one.left_out, 0),
    campaigns: list
      .flatMap(one => one.campaigns)
      .sort((a, b) => (b.counts.differs ?? 0) - (a.counts.differs ?? 0) || a.name.localeCompare(b.name)),
  }
}
