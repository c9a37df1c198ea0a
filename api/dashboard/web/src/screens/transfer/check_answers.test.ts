import { equal, test } from '../../testing.ts'
import { joined, partsOf } from './check_answers.ts'

test('lines of a campaign stay in one call, and each call begins with the line with the time', () => {
  const line = (campaign: number, n: number) => `c${campaign}.${n}.00000000 - 302 https://a.example/`
  const lines = Array.from({ length: 1001 }, (_, c) => Array.from({ length: 20 }, (_, n) => line(c, n + 1))).flat()
  const parts = partsOf('# asked 5\r\n' + lines.join('\r\n') + '\n\n')
  equal(parts.length, 3)
  equal(
    parts.every(p => p.startsWith('# asked 5\n') && p.split('\n').length <= 10_002),
    true,
  )
  equal(
    parts
      .join('')
      .split('\n')
      .filter(l => l.startsWith('c')),
    lines,
  )
  equal(
    parts.every(p => (p.split('\n').length - 2) % 20 === 0),
    true,
  )
  equal(partsOf('\n# asked 5\n'), [])
})

test('results of several calls are added up', () => {
  const campaign = (name: string, differs: number) => ({
    campaign_id: name,
    name,
    status: 'active' as const,
    counts: { differs },
    rows: [],
  })
  const sum = joined([
    { counts: { same: 2, differs: 1 }, unread: 1, left_out: 0, campaigns: [campaign('B', 1)] },
    { counts: { same: 3, dice: 4 }, unread: 0, left_out: 2, campaigns: [campaign('A', 0), campaign('C', 5)] },
  ])
  equal(sum.counts, { same: 5, differs: 1, dice: 4 })
  equal(
    sum.campaigns.map(c => c.name),
    ['C', 'B', 'A'],
  )
  equal([sum.unread, sum.left_out], [1, 2])
})
