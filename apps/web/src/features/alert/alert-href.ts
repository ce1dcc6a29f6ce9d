import { createContext, useContext } from 'react'
import { hrefOf } from './alert-words.ts'

/** Where links between alerts lead: to the list of all alerts, unless a page shows them itself. */
export const AlertHref = createContext(hrefOf)

export const useAlertHref = () => useContext(AlertHref)
