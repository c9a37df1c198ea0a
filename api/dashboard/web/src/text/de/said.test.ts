import { equal, test } from '../../testing.ts'
import { words as advice } from './advice.ts'
import { words as reasons } from './reasons.ts'

test('an alert is German with the figures of the service, and without them if its sentence is another one', () => {
  const { seen } = advice
  equal(seen('webhook.failing', 'the last 12 attempts to deliver failed'), 'Die letzten 12 Zustellungen sind gescheitert')
  equal(seen('webhook.failing', 'something else'), 'Zustellungen scheitern')
  equal(
    seen('postbacks.unmatched', "30 of the last day's 40 postbacks are unmatched; in the week before, 1 of 9 were"),
    '30 von 40 Postbacks des letzten Tages fanden keinen Klick; in der Woche davor 1 von 9',
  )
  equal(
    seen('plan.limit_near', '90 of the 100 clicks of the plan "free" are used this month'),
    '90 der 100 Klicks des Tarifs „free“ sind in diesem Monat verbraucht',
  )
  equal(
    seen('network.failing', 'asking Everflow failed 3 times in a row: 401\nno'),
    'Die Abfrage bei Everflow ist 3-mal in Folge gescheitert',
  )
})

test('what the service says about a postback is German, and an unknown sentence stays', () => {
  equal(reasons.of('the secret of the network is missing or wrong'), 'Das Geheimnis des Netzwerks fehlt oder ist falsch.')
  equal(reasons.of('a conversion does not go from rejected to pending'), 'Eine Conversion wechselt nicht von „Abgelehnt“ zu „Offen“.')
  equal(
    reasons.of('the payout "{sum}" is a macro that was not filled in'),
    'Die Auszahlung „{sum}“ ist ein Makro, das nicht ausgefüllt wurde.',
  )
  equal(reasons.of(''), '')
  equal(reasons.of('constructor'), 'constructor')
})
