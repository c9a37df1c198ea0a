import { equal, test } from '../testing.ts'
import { newID, sumOf } from './id.ts'

test('ids are random UUIDs, and no two are the same', () => {
  const ids = Array.from({ length: 1000 }, newID)
  equal(new Set(ids).size, 1000)
  equal(
    ids.filter(id => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
    [],
  )
})

test('a text always has the same sum, and no two texts share one', () => {
  const sums = new Set<string>()
  for (let i = 0; i < 20000; i++) sums.add(sumOf(`{"name":"offer ${i}","url":"https://shop.example/${i % 7}"}`))
  equal(sums.size, 20000)
  equal(sumOf('ü'), sumOf('ü'))
  equal([sumOf('').length, sumOf('a').length, sumOf('a') === sumOf('a\0')], [32, 32, false])
})
