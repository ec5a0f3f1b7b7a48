"""Run with: python3 -m unittest discover python/tests"""
import doctest
import os
import shutil
import tempfile
import unittest

import postbop

LOCK = """decl locked;
void main() begin
  locked := 0;
  while (*) do acquire(); if (*) then release(); fi od
end
void acquire() begin assert(!locked); locked := 1; end
void release() begin assert(locked); locked := 0; end
"""


class Programs(unittest.TestCase):
    def test_a_violation_has_a_trace(self):
        report = postbop.check(LOCK)
        self.assertIs(report.holds, False)
        result = report.results[0]
        self.assertEqual((result.verdict, result.property["kind"]), ("violated", "assert"))
        self.assertEqual(result.trace.steps[-1].text, "assert(!locked)")
        self.assertEqual(result.trace.steps[-1].state, {"locked": True})
        self.assertTrue(result.trace.shortest)
        self.assertEqual(result.trace.steps[2].proc, "main")

    def test_a_proof_is_checked_again(self):
        safe = LOCK.replace("if (*) then release(); fi", "release();")
        report = postbop.check(safe, proofs=True)
        self.assertTrue(report.holds and report.results[0].proved)
        self.assertEqual(len(report.proofs), 1)
        self.assertTrue(report.replay())

    def test_questions(self):
        report = postbop.check(LOCK, ltl="G F locked", terminates=True, reach=":4")
        verdicts = [result.verdict for result in report.results]
        self.assertEqual(verdicts, ["reachable", "violated", "violated"])
        self.assertIsNotNone(report.results[1].trace.loop_start)

    def test_limits_are_unknown(self):
        report = postbop.check(LOCK, timeout=0.0)
        self.assertIsNone(report.holds)
        self.assertEqual(report.results[0].stop_reason, "time")

    def test_what_is_wrong_has_its_place(self):
        with self.assertRaises(postbop.Refused) as caught:
            postbop.check("void main() begin\n  x := 1;\nend")
        problem = caught.exception.problems[0]
        self.assertEqual((problem.code, problem.line, problem.column), ("bp-unknown-variable", 2, 3))
        for wrong in [{"engine": "fast"}, {"lang": "cobol"}, {"reach": ["NO"]}, {"ltl": "G ("}]:
            with self.assertRaises(postbop.Refused):
                postbop.check(LOCK, **wrong)

    def test_states(self):
        page = postbop.states(LOCK, ":7")
        self.assertEqual(page["schema"], "postbop.states/1")

    def test_other_languages(self):
        remopla = "int x(3);\ninit main;\nmodule void main() { x = 5; L: skip; }\n"
        report = postbop.check(remopla, lang="remopla", reach="L")
        self.assertEqual(report.results[0].trace.steps[-1].state["x"], 5)

    @unittest.skipUnless(shutil.which("cc"), "there is no cc")
    def test_c(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.c")
            with open(path, "w") as file:
                file.write("#include <stdlib.h>\nint main(void) {\n  char *p = malloc(N);\n  free(p);\n  free(p);\n  return 0;\n}\n")
            report = postbop.check_file(path, flags=["-DN=4"], rules="memory")
            found = [result for result in report.results if result.holds is False]
            self.assertEqual(found[0].place.line, 5)
            self.assertIn("freed twice", found[0].message)


def load_tests(loader, tests, ignore):
    tests.addTests(doctest.DocTestSuite(postbop))
    return tests


if __name__ == "__main__":
    unittest.main()
