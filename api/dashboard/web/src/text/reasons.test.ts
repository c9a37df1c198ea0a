import { equal, test } from '../testing.ts'
import { words as de } from './de/reasons.ts'
import { words as german } from './de/records.ts'
import { words as en } from './en/reasons.ts'
import { words as english } from './en/records.ts'

test('the text about a wrong click id names the fields of the network to check', () => {
  const said = 'the click id that it sends is not a click id of this service'
  for (const [text, { fields }] of [
    [en.of(said), english.records],
    [de.of(said), german.records],
  ] as const)
    equal([text.includes(fields.clickParam), text.includes(`${fields.params.click_id}`)], [true, true])
})
