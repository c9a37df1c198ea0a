// The names of the steps of a postback test, and what the test says at each step. The service's own sentences are in English, so they
// are shown unchanged.
import { named } from '../words.ts'

export const words = {
  of: (text: string) => text,
  names: named({
    address: 'URL',
    click: 'Click',
    secret: 'Secret',
    status: 'Status',
    payout: 'Payout',
    time: 'Time',
    goal: 'Goal',
    result: 'Result',
  }),
}
