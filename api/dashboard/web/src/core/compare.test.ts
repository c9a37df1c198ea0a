import { equal, test } from '../testing.ts'
import type { ComparedArm, Path } from '../api.gen.ts'
import { byOf, changesWeights, weighed } from './compare.ts'

const arm = (id: string, proposed: number | null) => ({ id, proposed }) as ComparedArm
const flow = [
  {
    id: 'p',
    weight: 100,
    destinations: [
      { id: 'a', weight: 100 },
      { id: 'b', weight: 100 },
      { url: 'https://x', weight: 5 },
    ],
  },
  { id: 'q', weight: 50, destinations: [{ id: 'a', weight: 7 }] },
] as Path[]
const weights = (paths: Path[]) => paths.map(p => [p.weight, ...p.destinations.map(d => d.weight)])

test('weights of destinations change only in their own path', () => {
  equal(weights(weighed(flow, { path_id: 'p', arms: [arm('a', 190), arm('b', 10)] })), [
    [100, 190, 10, 5],
    [50, 7],
  ])
})

test('weights of paths change, and a weight without a proposal stays', () => {
  equal(weights(weighed(flow, { path_id: null, arms: [arm('p', 140), arm('q', null)] })), [
    [140, 100, 100, 5],
    [50, 7],
  ])
})

test('reports by path, landing page and offer can be compared', () => {
  equal(byOf('lander_id'), 'lander')
  equal(byOf('country'), undefined)
})

test('weights that stay the same are no change', () => {
  const weighs = (weight: number, proposed: number | null) => ({ weight, proposed }) as ComparedArm
  equal(changesWeights({ arms: [weighs(57, 57), weighs(43, 43), weighs(10, null)] }), false)
  equal(changesWeights({ arms: [weighs(57, 57), weighs(43, 44)] }), true)
})
