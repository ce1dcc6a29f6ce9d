import { createContext, useContext } from 'react'
import { hrefOf } from './alert-words.ts'

/** Target of links between alerts: the list of all alerts, unless the page shows them itself. */
export const AlertHref = createContext(hrefOf)

export const useAlertHref = () => useContext(AlertHref)
