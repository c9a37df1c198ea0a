import { equal, test } from '../testing.ts'
import { fillIn, kindOf, nameOf, placeholdersOf } from './placeholders.ts'

test('placeholders are found once, and values take their place', () => {
  const address = 'https://s.example/YOUR_ID/pb?aid=YOUR_AID&pid=YOUR_PIXEL_ID&again=YOUR_AID&v={external_id}'
  equal(placeholdersOf(address), ['YOUR_ID', 'YOUR_AID', 'YOUR_PIXEL_ID'])
  equal(placeholdersOf('https://s.example/?v={external_id}'), [])
  equal(
    fillIn(address, { YOUR_ID: ' 7 ', YOUR_AID: 'a&b', YOUR_PIXEL_ID: ' ' }),
    'https://s.example/7/pb?aid=a%26b&pid=YOUR_PIXEL_ID&again=a%26b&v={external_id}',
  )
  equal(nameOf('YOUR_PIXEL_ID'), 'PIXEL ID')
  equal(['YOUR_EVENT_ID', 'YOUR_GOAL', 'YOUR_TOKEN', 'YOUR_PIXEL_ID'].map(kindOf), ['event', 'event', 'secret', 'id'])
})
