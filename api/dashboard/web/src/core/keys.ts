// The keyboard keys of the screen that is shown.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { computed, signal } from '@preact/signals'
import { me } from './me.ts'

// quiet reports whether a key is a single character other than the space, and the person has switched such keys off.
export const quiet = (e: KeyboardEvent) => me.value?.letter_keys === false && e.key.length === 1 && e.key !== ' '
// typing reports whether a screen must ignore a key: a quiet key, any key while Ctrl, Alt or the Command key is held, and any key
// while the focus is in a field, a dialog or a menu.
export const typing = (e: KeyboardEvent) =>
  quiet(e) || e.ctrlKey || e.metaKey || e.altKey || (e.target as Element).closest?.('input, textarea, select, dialog, [popover]') != null

export type Key = { key: string; text: string }
const lists = signal<Key[][]>([])

// screenKeys are the keys that the parts of the shown screen have registered with useKeys.
export const screenKeys = computed(() => lists.value.flat())
export const palette = signal<'closed' | 'find' | 'keys'>('closed')

// useKeys calls the function `on` for each key that is pressed while a screen is shown, unless typing returns true or the key was
// handled already.
export function useKeys(list: Key[], on: (e: KeyboardEvent) => boolean | void) {
  useEffect(() => {
    lists.value = [...lists.value, list]
    return () => {
      lists.value = lists.value.filter(o => o !== list)
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a list with the same content is the same list
  }, [JSON.stringify(list)])
  usePress(e => {
    if (!typing(e) && !e.defaultPrevented && on(e)) e.preventDefault()
  })
}

// usePress calls the function `on` for every key while a component is shown, from the moment it is shown.
export function usePress(on: (e: KeyboardEvent) => void) {
  const last = useRef(on)
  last.current = on
  useLayoutEffect(() => {
    const press = (e: KeyboardEvent) => last.current(e)
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
