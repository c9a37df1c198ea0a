import type { CredentialFieldShown } from '../api.gen.ts'
import { equal, test } from '../testing.ts'
import { choicesOf, given } from './credential.ts'

const field = (more: Partial<CredentialFieldShown>): CredentialFieldShown => ({
  name: 'consent',
  label: 'Consent',
  secret: false,
  required: false,
  values: ['granted', 'denied'],
  default: null,
  help: '',
  ...more,
})

test('a field that may stay empty offers an empty choice until a value is saved', () => {
  equal(choicesOf(field({}), {}), ['', 'granted', 'denied'])
  equal(choicesOf(field({}), { consent: 'granted' }), ['granted', 'denied'])
})

test('a field that is required or has a default offers no empty choice', () => {
  equal(choicesOf(field({ required: true }), {}), ['granted', 'denied'])
  equal(choicesOf(field({ default: 'denied' }), {}), ['granted', 'denied'])
})

test('typed values and new defaults are sent, and blanks and saved values are not', () => {
  const fields = [field({}), field({ name: 'region', default: 'us' }), field({ name: 'key', secret: true, values: [] })]
  equal(given(fields, {}, { key: ' abc ' }), { region: 'us', key: 'abc' })
  equal(given(fields, { region: 'us', key: '********' }, { consent: '' }), {})
})
