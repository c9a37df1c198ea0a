import { askFor, equal, test } from '../testing.ts'
import { bodiesOf, dimensionAt, placeOf, targetsOf } from './blocks.ts'
import type { Ask } from './report.ts'

const ask = (change: Partial<Ask>) => askFor({ group: ['sub1'], ...change })

test('a row of a tree blocks the value of its own dimension', () => {
  const tree = ask({ group: ['campaign_id', 'sub1', 'date'] })
  equal(dimensionAt(tree, ['c']), -1)
  equal(dimensionAt(tree, ['c', 'x']), 1)
  equal(dimensionAt(tree, ['c', '']), -1)
  equal(dimensionAt(tree, ['c', 'x', '2026-11-27']), -1)
})

test('a row of a flat table needs exactly one dimension that can be blocked', () => {
  equal(dimensionAt(ask({ group: ['campaign_id', 'sub1'], flat: true }), ['c', 'x']), 1)
  equal(dimensionAt(ask({ group: ['country', 'sub1'], flat: true }), ['DE', 'x']), -1)
})

test('rows are grouped by the campaign and the source that the report names', () => {
  const tree = ask({ group: ['campaign_id', 'sub1'], filters: [{ dimension: 'source_id', not: false, values: ['s'] }] })
  const targets = targetsOf(tree, [['a', 'x'], ['a', 'y'], ['b', 'x'], ['a', 'x'], ['a']])
  equal(targets, [
    { dimension: 'sub1', campaign: 'a', source: 's', values: ['x', 'y'] },
    { dimension: 'sub1', campaign: 'b', source: 's', values: ['x'] },
  ])
  equal(placeOf(targets), { scope: 'campaign' })
  equal(bodiesOf(targets, { scope: 'campaign' }), [
    { scope: 'campaign', dimension: 'sub1', campaign_id: 'a', values: ['x', 'y'] },
    { scope: 'campaign', dimension: 'sub1', campaign_id: 'b', values: ['x'] },
  ])
  equal(bodiesOf(targets, { scope: 'source' }), [{ scope: 'source', dimension: 'sub1', source_id: 's', values: ['x', 'y'] }])
  equal(bodiesOf(targets, { scope: 'account' }), [{ scope: 'account', dimension: 'sub1', values: ['x', 'y'] }])
  equal(bodiesOf(targets, { scope: 'campaign', id: 'c' }), [{ scope: 'campaign', dimension: 'sub1', campaign_id: 'c', values: ['x', 'y'] }])
})

test('a report with a filter by several campaigns names no campaign', () => {
  const two = ask({ filters: [{ dimension: 'campaign_id', not: false, values: ['a', 'b'] }] })
  equal(placeOf(targetsOf(two, [['x']])), { scope: 'account' })
})
