import { equal, test } from '../testing.ts'
import { quiet } from './keys.ts'
import { me } from './me.ts'

const press = (key: string) => quiet({ key } as KeyboardEvent)

test('a single letter does nothing if the person has switched letters off', () => {
  const before = me.value
  me.value = { letter_keys: false } as NonNullable<typeof me.value>
  equal([press('j'), press('Escape'), press(' ')], [true, false, false])
  me.value = { letter_keys: true } as NonNullable<typeof me.value>
  equal([press('j')], [false])
  me.value = before
})
