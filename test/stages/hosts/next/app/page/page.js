export default function Page() {
  return <p>own page</p>;
}
