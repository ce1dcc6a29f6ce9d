import type { ReactNode } from 'react'

/**
 * The languages of the site, with how each writes numbers and dates. Every catalogue beside this file is asked for all of them by the
 * compiler: a language is added here, and then wherever it complains.
 */
const locales = {
  en: { numbers: 'en-US', dates: 'en-GB', group: ',', decimal: '.' },
}

type Language = keyof typeof locales

/** Puts words of a sentence into an element that the page has: a link, a mark. */
export type Around = (words: ReactNode) => ReactNode

/** What the page says of itself, `<html lang>`, decides; a worker is told by its name, and what is drawn at build time is English. */
export const language = chooseLanguage(globalThis.document?.documentElement.lang ?? Reflect.get(globalThis, 'name'))

export const { numbers: numberLocale, dates: dateLocale, group: groupSign, decimal: decimalSign } = locales[language]

function chooseLanguage(wanted: unknown): Language {
  return isLanguage(wanted) ? wanted : 'en'
}

function isLanguage(name: unknown): name is Language {
  return typeof name === 'string' && Object.hasOwn(locales, name)
}

/** The texts of one catalogue in the language of the page. */
export function inLanguage<Texts>(catalogue: Record<Language, Texts>): Texts {
  return catalogue[language]
}
