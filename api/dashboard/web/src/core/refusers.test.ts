import { equal, test } from '../testing.ts'
import { refusers } from './refusers.ts'

test('a refusal names records', () => {
  const message =
    '2 of 3 records cannot be changed like this, so nothing has changed: "One": the alias is in use; "Say \\"hi\\" to ä": too long; and 4 more'
  equal(refusers(message), ['One', 'Say "hi" to ä'])
  equal(refusers('cost_value must be at least 0'), [])
})
