// rule: python
// An error path forgets the list.

typedef struct _object PyObject;
PyObject *PyList_New(long n);
PyObject *PyLong_FromLong(long v);
int PyList_Append(PyObject *list, PyObject *item);
void Py_INCREF(PyObject *o);
void Py_DECREF(PyObject *o);

PyObject *pair(long a) {
    PyObject *list = PyList_New(0), *item;
    if (!list)
        return 0;
    item = PyLong_FromLong(a);
    if (!item) {
#ifndef BAD
        Py_DECREF(list);
#endif
        return 0; // BAD python_leak
    }
    if (PyList_Append(list, item) < 0) {
        Py_DECREF(item);
        Py_DECREF(list);
        return 0;
    }
    Py_DECREF(item);
    return list;
}
