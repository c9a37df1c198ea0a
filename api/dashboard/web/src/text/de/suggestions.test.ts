import { equal, test } from '../../testing.ts'
import { words as advice } from './advice.ts'
import { words as reasons } from './reasons.ts'
import { words as steps } from './steps.ts'
import { translateSuggestion } from './suggestions.ts'
import { words as tokenTexts } from './tokens.ts'
import { tokens } from '../../words.gen.ts'

test('the German text about an alert has the figures of the English sentence, or is a general sentence if the English one is unknown', () => {
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
    seen('network.failing', 'requests to Everflow failed 3 times in a row: 401\nno'),
    'Die Abfrage bei Everflow ist 3-mal in Folge gescheitert',
  )
})

test('the German text about the DNS of a domain has the records of the English sentences', () => {
  equal(
    advice.detail(
      'domain.stray',
      'The domain has no address in DNS. Set a CNAME of go.acme.com to t.example. Set a TXT record of _switchyard.go.acme.com to 2f67. ' +
        'Links on it stop working on 2026-12-01.',
    ),
    'Die Domain hat keine Adresse im DNS. Einen CNAME-Eintrag für go.acme.com auf t.example setzen. ' +
      'Einen TXT-Eintrag für _switchyard.go.acme.com mit dem Wert 2f67 setzen. Links auf ihr funktionieren ab dem 01.12.2026 nicht mehr.',
  )
  equal(
    advice.detail(
      'domain.stray',
      'The domain leads elsewhere: A 192.0.2.1, A 192.0.2.2. Point acme.com at t.example by an ALIAS, ANAME or flattened CNAME, or, ' +
        'where your DNS has none of these, set A 192.0.2.9. Set a TXT record of _switchyard.acme.com to 2f67.',
    ),
    'Die Domain führt woandershin: A 192.0.2.1, A 192.0.2.2. acme.com per ALIAS, ANAME oder CNAME-Flattening auf t.example zeigen lassen ' +
      'oder, wenn das DNS nichts davon hat, A 192.0.2.9 setzen. Einen TXT-Eintrag für _switchyard.acme.com mit dem Wert 2f67 setzen.',
  )
})

test('a known sentence about a postback is translated, and an unknown sentence stays English', () => {
  equal(reasons.of('the secret of the network is missing or wrong'), 'Das Geheimnis des Netzwerks fehlt oder ist falsch.')
  equal(reasons.of('a conversion does not go from rejected to pending'), 'Eine Conversion wechselt nicht von „Abgelehnt“ zu „Offen“.')
  equal(reasons.of('the payout "{sum}" is a macro that was not filled in'), 'Der Payout „{sum}“ ist ein Makro, das nicht ausgefüllt wurde.')
  equal(reasons.of('created'), 'Die Conversion ist erfasst.')
  equal(reasons.of(''), '')
  equal(reasons.of('constructor'), 'constructor')
})

test('the steps of a link test or postback test are translated with their names and figures', () => {
  equal(
    steps.of("not read: the source's click id, zone (still the macro {zone})"),
    'nicht gelesen: die Klick-ID der Quelle, zone (noch das Makro {zone})',
  )
  equal(steps.of('country US, desktop, Windows, Chrome; bot score 0'), 'Land US, desktop, Windows, Chrome; Bot-Wert 0')
  equal(steps.of('3 read; external id "", cost 0.01 USD'), '3 gelesen; externe ID „“, Kosten 0.01 USD')
  equal(steps.of('"ok" is approved'), '„ok“ ist bestätigt')
  equal(steps.of('goal "", conversion id "a"'), 'Ziel „“, Conversion-ID „a“')
  equal(steps.of('the secret of the network is missing or wrong'), 'Das Geheimnis des Netzwerks fehlt oder ist falsch.')
  equal(steps.of('nothing would be recorded: its click never came'), 'nichts würde erfasst: Der Klick ist nie angekommen')
  equal(steps.of('https://offer.example/?a=1'), 'https://offer.example/?a=1')
})

test('a suggestion of the Copilot is translated, and an unknown sentence stays English', () => {
  equal(translateSuggestion('Raise the cap of offer “Sweeps: US” to 60'), 'Limit von Offer „Sweeps: US“ auf 60 erhöhen')
  equal(
    translateSuggestion('Block 2 sub1 values of “DACH” here and at the traffic source: the clicks cost more than they return'),
    '2 Werte von Sub 1 von „DACH“ hier und bei der Traffic-Quelle sperren: die Klicks kosten mehr, als sie bringen',
  )
  equal(
    translateSuggestion('2 countries cost 12.5 USD and returned 1: DE, FR. Block it there, because it cannot be blocked here.'),
    '2 Länder: 12.5 USD Kosten, 1 zurück: DE, FR. Das geht nur bei der Traffic-Quelle.',
  )
  equal(
    translateSuggestion('Shares by the probability of being the best: “A” from 50 to 80 %, “B” from 50 to 20 %.'),
    'Anteile nach der Wahrscheinlichkeit, am besten zu sein: „A“ von 50 auf 80 %, „B“ von 50 auf 20 %.',
  )
  equal(
    translateSuggestion('The HTTPS certificate of a.example ends on 2026-12-01'),
    'Das HTTPS-Zertifikat von a.example endet am 01.12.2026',
  )
  equal(
    translateSuggestion('Set weights of paths of campaign “A”: “P” 70, “Q” 30 and 2 more'),
    'Gewichte der Pfade von Kampagne „A“ setzen: „P“ 70, „Q“ 30 und 2 weitere',
  )
  equal(translateSuggestion('Something new'), 'Something new')
})

test('every token has a German text, and every German text belongs to a token', () => {
  equal(Object.keys(tokenTexts.meaning).sort(), tokens.map(k => k.name).sort())
})
