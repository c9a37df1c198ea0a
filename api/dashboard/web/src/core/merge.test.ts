import { equal, test } from '../testing.ts'
import { merge } from './merge.ts'

const base = { name: 'A', payout: 1, tags: ['x'] }

test('edits of different fields are joined', () => {
  const { joined, conflicts } = merge(base, { ...base, payout: 2 }, { ...base, name: 'B', status: 'paused' })
  equal(joined, { name: 'B', payout: 2, tags: ['x'], status: 'paused' })
  equal(conflicts, [])
})

test('a field that was changed on both sides keeps my edit and is a conflict', () => {
  const { joined, conflicts } = merge(base, { ...base, payout: 2, tags: [] }, { ...base, payout: 3, tags: ['y'] })
  equal(joined, { name: 'A', payout: 2, tags: [] })
  equal(conflicts, [
    { name: 'payout', theirs: 3 },
    { name: 'tags', theirs: ['y'] },
  ])
})

test('the same edit on both sides is no conflict', () => {
  equal(merge(base, { ...base, payout: 2 }, { ...base, payout: 2 }), { joined: { ...base, payout: 2 }, conflicts: [] })
  equal(merge({ url: '' }, { url: undefined }, { url: null }), { joined: { url: undefined }, conflicts: [] })
})
