import { getChain, type ProtectedState } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { refreshAfterProposal } from './refresh.ts'
import { useAdminAction } from './use-admin-action.ts'

/**
 * Opens the form that proposes a change of the treasury or the signing key. A change of the chain
 * has its own form.
 */
export function ProposeButton({ state }: { state: ProtectedState }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button size="sm" onClick={() => setIsOpen(true)}>
        Propose a change
      </Button>
      {isOpen && <ProposeDialog state={state} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function ProposeDialog({ state, onClose }: { state: ProtectedState; onClose: () => void }) {
  const [target, setTarget] = useState(String(state.treasuries[0]?.chainId ?? 'signer'))
  const [address, setAddress] = useState('')
  const [reason, setReason] = useState('')
  const propose = useAdminAction({
    run: () =>
      call('proposeChange', {
        body:
          target === 'signer'
            ? { kind: 'signer', address: address.trim(), reason }
            : { kind: 'treasury', chainId: Number(target), address: address.trim(), reason },
      }),
    done: 'Change Proposed',
    failed: 'The change could not be proposed. Please try again.',
    refresh: refreshAfterProposal,
    onDone: onClose,
  })

  function send(event: FormEvent) {
    event.preventDefault()
    if (!propose.isPending) propose.mutate()
  }

  return (
    <FormDialog
      title="Propose a change"
      description="Nothing changes until another admin has approved it and the delay has passed. All admins are notified by mail."
      submitLabels={{ send: 'Propose', sending: 'Proposing…' }}
      variant="danger"
      isSending={propose.isPending}
      onSubmit={send}
      onClose={onClose}
    >
      <SelectField label="Setting" value={target} onChange={({ target: { value } }) => setTarget(value)}>
        {state.treasuries.map(({ chainId }) => (
          <option key={chainId} value={chainId}>
            Treasury, {getChain(chainId).name}
          </option>
        ))}
        <option value="signer">Signing key</option>
      </SelectField>
      <TextField
        label="New address"
        hint="Include the EIP-55 checksum. Compare the address with the original on another device."
        autoComplete="off"
        spellCheck={false}
        required
        value={address}
        onChange={({ target: { value } }) => setAddress(value)}
      />
      <TextField
        label="Reason"
        hint="Kept in the audit log."
        maxLength={500}
        autoComplete="off"
        required
        value={reason}
        onChange={({ target: { value } }) => setReason(value)}
      />
    </FormDialog>
  )
}
