import { equal, test } from '../../testing.ts'
import { words as de } from '../../text/de/check.ts'
import { filled } from './fill.ts'

test('each {name} in a text is replaced once by its value, and tokens stay', () => {
  equal(filled('{name} hat kein {clickid}.', { name: '{value}', value: 'x' }), '{value} hat kein {clickid}.')
  equal(filled('{constructor}', {}), '{constructor}')
})

test('German texts use only {clickid} and names for which a finding has values', () => {
  const words = Object.values(de.of).flatMap(f => [...(f.says + f.does).matchAll(/\{(\w+)\}/g)].map(m => m[1]!))
  equal([...new Set(words)].filter(word => !['name', 'path', 'value', 'at', 'clickid'].includes(word)).join(), '')
})
