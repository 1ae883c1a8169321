/** A person's reason, which stays where it is given. */
export function ReasonField({ label, name }: { label: string; name: string }) {
  return (
    <label class="field">
      <span>{label}</span>
      <textarea class="prose" name={name} required rows={3} maxLength={2_000} />
    </label>
  );
}
