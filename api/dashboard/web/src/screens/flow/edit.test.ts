import type { Path } from '../../api.gen.ts'
import { equal, random, test } from '../../testing.ts'
import {
  add,
  changes,
  copyOf,
  coverer,
  edit,
  moveTo,
  neighbour,
  newPath,
  placeOf,
  raise,
  remove,
  shareOf,
  displayName,
  tried,
  update,
  type Flow,
} from './edit.ts'
import { layout, leastWidth, mostWidth, widthIn } from './geometry.ts'

const known = { landers: new Set(['l1', 'l2']), names: { l1: 'Lander', o1: 'Offer' }, loaded: true }
const path = (name: string, fields: Partial<Path> = {}): Path => ({ ...newPath(name), ...fields })
const names = (flow: Flow) => flow.map(p => p.name).join('')

test('forced paths are tried first, then regular paths by their group, then the default path', () => {
  const flow = [
    path('d', { stream_type: 'default' }),
    path('b', { rule_group: 2 }),
    path('a', { rule_group: 1 }),
    path('f', { stream_type: 'forced' }),
  ]
  equal(names(tried(flow)), 'fabd')
  equal(neighbour(flow, flow[1]!.id, 1), undefined) // the next path is of another kind
})

test('only paths of the same kind change places', () => {
  const flow = [path('a'), path('b'), path('c'), path('f', { stream_type: 'forced' })]
  equal(names(moveTo(flow, flow[2]!.id, flow[0]!.id)), 'cabf')
  equal(moveTo(flow, flow[0]!.id, flow[3]!.id), flow)
  equal(neighbour(flow, flow[0]!.id, 1)?.name, 'b')
})

test('each edit is one change, and equal flows have no changes', () => {
  const was = [path('a', { destinations: [{ id: 'o1', weight: 50 }] as Path['destinations'] }), path('b')]
  equal(changes(was, structuredClone(was), known), [])
  equal(changes(was, update(was, was[0]!.id, { weight: 40 }), known), [{ kind: 'weight', path: 'a', of: '', from: 100, to: 40 }])
  equal(changes(was, update(was, was[0]!.id, { destinations: [{ id: 'o1', weight: 9 }] as Path['destinations'] }), known), [
    { kind: 'weight', path: 'a', of: 'Offer', from: 50, to: 9 },
  ])
  equal(changes(was, remove(was, was[1]!.id), known), [{ kind: 'removed', path: 'b' }])
  equal(changes(was, add(was, path('c'), 'position'), known), [{ kind: 'added', path: 'c' }])
  equal(changes(was, [was[1]!, was[0]!], known), [{ kind: 'order', path: '' }])
})

test('a record without a name is shown as removed only after all records are loaded', () => {
  const gone = { id: 'o2', weight: 1 } as Path['destinations'][number]
  equal(displayName(gone, known, 'removed'), 'removed')
  equal(displayName(gone, { ...known, loaded: false }, 'removed'), '…')
  equal(displayName({ ...gone, id: 'o1' }, { ...known, loaded: false }, 'removed'), 'Offer')
})

const offer = { destinations: [{ id: 'o1', weight: 100 }] } as Partial<Path>
const only = (...countries: string[]) => ({
  ...offer,
  filters: [{ attribute: 'country', operator: 'in', value: countries }] as Path['filters'],
})

test('a path is covered if an earlier path takes all of its visitors', () => {
  const behind = (all: Partial<Path>, fields: Partial<Path> = {}, rotation = 'position') => {
    const flow = [path('all', { ...offer, ...all }), path('de', { ...only('DE'), ...fields })]
    return coverer(flow, flow[1]!.id, rotation)?.name
  }
  equal(behind({}), 'all')
  equal(behind({}, { stream_type: 'default' }), 'all')
  equal(behind(only('DE')), 'all') // the same conditions
  equal(behind({ stream_type: 'forced' }), 'all')
  equal(behind({ stream_type: 'forced' }, {}, 'weight'), 'all')
  equal(behind({}, { stream_type: 'default' }, 'weight'), 'all')
  const passing: [Partial<Path>, Partial<Path>?, string?][] = [
    [{ stream_type: 'default' }],
    [{ is_active: false }],
    [{ daily_cap: 5 }],
    [{ destinations: [] }],
    [only('AT')],
    [{}, { is_active: false }],
    [{}, {}, 'weight'],
    [{ rule_group: 2 }, { rule_group: 2 }],
    [{ rule_group: 2 }],
    [{ weight: 0 }],
  ]
  for (const [all, fields, rotation] of passing) equal(behind(all, fields, rotation), undefined, JSON.stringify(all))
})

test('if paths are tried by position, a new path and a path with new conditions come before the path that takes all visitors', () => {
  const flow = [path('a', only('AT')), path('all', offer), path('d', { ...offer, stream_type: 'default' })]
  equal(names(add(flow, path('n'), 'position')), 'analld')
  equal(names(add([flow[0]!, flow[2]!], path('n'), 'position')), 'and')
  equal(names(add(flow, path('n'), 'weight')), 'aallnd')
  const late = [path('all', offer), path('late', offer)]
  equal(names(edit(late, late[1]!.id, only('DE'), 'position')), 'lateall')
  equal(names(edit(late, late[1]!.id, { weight: 5 }, 'position')), 'alllate')
  const forced = [path('f', { ...offer, stream_type: 'forced' }), path('x', offer)]
  equal(raise(forced, forced[1]!.id, 'position'), forced) // a regular path never comes before a forced one
})

test('a condition with one value is the same with and without a list', () => {
  const where = (value: unknown) => [{ attribute: 'country', operator: 'equals', value }] as Path['filters']
  const was = [path('a', { filters: where(['DE']), rules: [{ name: 'r', logic: 'and', conditions: where(['AT']) }] })]
  const now = [{ ...was[0]!, filters: where('DE'), rules: [{ name: 'r', logic: 'and', conditions: where('AT') }] }] as Flow
  equal(changes(was, now, known), [])
  equal(changes(was, update(now, was[0]!.id, { filters: where('CH') }), known).length, 1)
})

test('a condition in another spelling is no change', () => {
  const where = (attribute: string, operator: string, value: unknown) => [{ attribute, operator, value }] as Path['filters']
  const differ = (a: Path['filters'], b: Path['filters']) => {
    const was = [path('a', { filters: a, rules: [{ name: 'r', logic: 'and', conditions: a }] })]
    return changes(was, [{ ...was[0]!, filters: b, rules: [{ name: 'r', logic: 'and', conditions: b }] }] as Flow, known).length
  }
  equal(differ(where('country', 'in', ['DE']), where('country', 'equals', 'de')), 0)
  equal(differ(where('bot_score', 'between', '1, 5'), where('bot_score', 'between', [1, 5])), 0)
  equal(differ(where('bot_score', 'equals', '7'), where('bot_score', 'equals', [7])), 0)
  equal(differ(where('is_bot', 'equals', 'true'), where('is_bot', 'equals', true)), 0)
  equal(differ(where('country', 'in', ['DE']), where('country', 'not_in', ['DE'])), 2)
  equal(differ(where('param.a', 'equals', 'x'), where('param.a', 'equals', 'X')), 2)
})

test('a copy has a new name and id, and the copy of the default path is a regular path', () => {
  const flow = [path('a', { stream_type: 'default' }), path('a 2')]
  const copy = copyOf(flow, flow[0]!, n => `a ${n}`)
  equal([copy.name, copy.stream_type, copy.id !== flow[0]!.id], ['a 3', 'regular', true])
})

test('an error is shown at the path that its message names', () => {
  const flow = [path('one "1"'), path('two')]
  equal(placeOf('invalid_cap', 'path "one \\"1\\"": a cap is at least 1', flow), { path: flow[0]!.id, field: 'daily_cap' })
  equal(placeOf('zero_weights', 'path 2: all weights are 0', flow), { path: flow[1]!.id, field: 'destinations' })
  equal(placeOf('new_code', 'something else', flow), {})
})

test('the shares of the destinations in a slot add up to one, or to zero if all weights are zero', () => {
  const draw = random(2)
  for (let i = 0; i < 100; i++) {
    const list = Array.from({ length: 1 + Math.floor(draw() * 5) }, (_, n) => ({
      id: `o${n}`,
      weight: Math.floor(draw() * 100),
      slot: n % 2,
    })) as Path['destinations']
    for (const slot of [0, 1]) {
      const inSlot = list.filter(d => d.slot === slot),
        sum = inSlot.reduce((n, d) => n + shareOf(d, list), 0)
      equal(Math.abs(sum - (inSlot.some(d => d.weight) ? 1 : 0)) < 1e-9, true)
    }
  }
})

test('the boxes of a flow lie inside the drawing and do not overlap', () => {
  const draw = random(3)
  for (let i = 0; i < 60; i++) {
    const flow = Array.from({ length: 1 + Math.floor(draw() * 7) }, (_, n) =>
      path(`p${n}`, {
        destinations: Array.from({ length: Math.floor(draw() * 6) }, (_, k) => ({
          id: draw() < 0.3 ? 'l1' : `o${k}`,
          weight: 1,
        })) as Path['destinations'],
      }),
    )
    const width = widthIn(500 + Math.floor(draw() * 800))
    if (width < leastWidth || width > mostWidth) throw new Error(`the drawing is ${width} px wide, want ${leastWidth} to ${mostWidth}`)
    const { nodes, height, rails } = layout(
      flow,
      known,
      () => Math.floor(draw() * 5),
      () => draw(),
      width,
    )
    for (const a of nodes) {
      if (a.y < 0 || a.y + a.h > height || a.x + a.w > width) throw new Error(`${a.key} is outside the drawing`)
      for (const b of nodes)
        if (a.key < b.key && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h)
          throw new Error(`${a.key} overlaps ${b.key}`)
    }
    const keys = new Set(nodes.map(n => n.key))
    for (const r of rails)
      if (!keys.has(r.to) || (r.from && !keys.has(r.from))) throw new Error(`no box for a rail from ${r.from} to ${r.to}`)
  }
})
