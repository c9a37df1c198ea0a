import { formOf } from '../../core/condition.ts'
import { equal, test } from '../../testing.ts'
import { words as en } from '../en/bots.ts'
import { words as de } from './bots.ts'

test('each kind of proxy has a name', () => {
  const kinds = formOf('proxy_kind', 'equals')!.values
  equal([Object.keys(en.proxies), Object.keys(de.proxies)], [kinds, kinds])
})
