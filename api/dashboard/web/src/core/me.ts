// The person who is signed in.
import { computed, signal } from '@preact/signals'
import type { Me } from '../api.gen.ts'

export const me = signal<Me | null>(null)
export const zone = computed(() => me.value?.account.timezone || 'UTC')

const roles = ['viewer', 'contributor', 'member', 'owner']
// can reports whether the person has a role, or a higher one.
export const can = (role: string) => roles.indexOf(me.value?.role ?? '') >= roles.indexOf(role)
