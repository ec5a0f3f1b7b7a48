// rule: python
// A reference is given back twice.

typedef struct _object PyObject;
PyObject *PyList_New(long n);
PyObject *PyLong_FromLong(long v);
int PyList_Append(PyObject *list, PyObject *item);
void Py_INCREF(PyObject *o);
void Py_DECREF(PyObject *o);

long count(void) {
    PyObject *item = PyLong_FromLong(1);
    if (!item)
        return -1;
#ifndef BAD
    Py_INCREF(item);
#endif
    Py_DECREF(item);
    Py_DECREF(item); // BAD python_overrelease
    return 0;
}
