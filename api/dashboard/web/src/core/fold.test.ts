import { equal, test } from '../testing.ts'
import { openGroups } from './fold.ts'

const groups = [
  { id: 'build', rows: 8 },
  { id: 'money', rows: 5 },
  { id: 'connect', rows: 3 },
  { id: 'account', rows: 6 },
]
const open = (current: string, chosen: Record<string, boolean>, fits: number) =>
  [...openGroups(groups, current, chosen, fits)].sort().join()

test('all groups are open where there is room', () => {
  equal(open('build', {}, 22), 'account,build,connect,money')
})

test('groups that do not fit are folded, and the group of the current screen is open', () => {
  equal(open('build', {}, 18), 'build,connect,money')
  equal(open('account', {}, 18), 'account,build,connect')
  equal(open('account', {}, 3), 'account')
})

test('what the person chose counts more than the room, and the group of the current screen is open in any case', () => {
  equal(open('build', { account: true }, 14), 'account,build')
  equal(open('build', { money: false }, 22), 'account,build,connect')
  equal(open('money', { money: false }, 22), 'account,build,connect,money')
})
